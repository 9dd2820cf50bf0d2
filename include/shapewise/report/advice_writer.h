// The forms in which advice can be printed. They compute nothing.

#ifndef SHAPEWISE_REPORT_ADVICE_WRITER_H_
#define SHAPEWISE_REPORT_ADVICE_WRITER_H_

#include <string_view>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "shapewise/model/session.h"
#include "shapewise/report/report_writer.h"
#include "shapewise/result/advice.h"

namespace shapewise {

/// One form. Stateless; the same advice gives the same bytes.
class AdviceWriter {
 public:
  virtual ~AdviceWriter() = default;

  /// The value of --format or --emit: "text".
  virtual std::string_view name() const = 0;

  /// Prints `advice`, whose event indices refer to `session`. Texts that came from an input are
  /// made harmless for where they go.
  virtual void Write(const Advice& advice, const Session& session, const ReportOptions& options,
                     llvm::raw_ostream& out) const = 0;
};

/// Every form of --format, the default first. They live as long as the program.
const std::vector<const AdviceWriter*>& AdviceWriters();

/// Every form of --emit: texts to paste, of the actions of the plan.
const std::vector<const AdviceWriter*>& AdviceEmitters();

/// The form called `name` of either list; null if there is none.
const AdviceWriter* FindAdviceWriter(std::string_view name);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_ADVICE_WRITER_H_
