// Output formats of bucket plans.

#ifndef SHAPEWISE_REPORT_BUCKET_WRITER_H_
#define SHAPEWISE_REPORT_BUCKET_WRITER_H_

#include <span>
#include <string>
#include <vector>

#include "report/report_writer.h"
#include "result/bucket_report.h"

namespace shapewise {

using BucketFormat = OutputFormat<BucketReport>;

/// The formats of --format, the default first: text, json, svg.
std::span<const BucketFormat> BucketFormats();

/// The formats of --emit: the plan as text to paste, one for each consumer. "json" is in both
/// lists.
std::span<const BucketFormat> BucketEmitters();

/// Text to paste.
struct BucketSnippet {
  std::string consumer;  ///< "pytorch", "vllm", "huggingface" ...
  std::string source;    ///< the documentation or program that defines its form
  std::string text;      ///< ends with a newline
};

/// The output of all emitters except plain JSON, which a JSON result already is.
std::vector<BucketSnippet> BucketSnippets(const BucketReport& report);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_BUCKET_WRITER_H_
