// What a document of the library holds.

#ifndef SHAPEWISE_API_DOCUMENT_CONTENT_H_
#define SHAPEWISE_API_DOCUMENT_CONTENT_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/message.h"
#include "llvm/Support/raw_ostream.h"
#include "report/report.h"
#include "result/finding.h"
#include "shapewise/document.h"

namespace shapewise::api {

struct Document::Content {
  std::string command;
  std::vector<Diagnostic> diagnostics;
  std::vector<Action> actions;
  std::optional<BucketPlan> plan;
  Messages messages;
  bool is_complete = true;  ///< all inputs could be used
  std::optional<shapewise::Severity> worst;
  std::vector<std::string> formats;
  /// Prints the result, which it owns, in one of `formats`.
  std::function<void(std::string_view format, const ReportOptions&, llvm::raw_ostream&)> write;
};

}  // namespace shapewise::api

#endif  // SHAPEWISE_API_DOCUMENT_CONTENT_H_
