// Output formats of advice. They compute nothing.

#ifndef SHAPEWISE_REPORT_ADVICE_WRITER_H_
#define SHAPEWISE_REPORT_ADVICE_WRITER_H_

#include <string_view>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "shapewise/model/session.h"
#include "shapewise/report/report_writer.h"
#include "shapewise/result/advice.h"

namespace shapewise {

/// A format. Stateless; equal advice gives equal bytes.
class AdviceWriter {
 public:
  virtual ~AdviceWriter() = default;

  /// The value of --format or --emit: "text".
  virtual std::string_view name() const = 0;

  /// Prints `advice`, whose event indices refer to `session`. Texts from inputs are escaped for the
  /// format.
  virtual void Write(const Advice& advice, const Session& session, const ReportOptions& options,
                     llvm::raw_ostream& out) const = 0;
};

/// All formats of --format, the default first. They live as long as the program.
const std::vector<const AdviceWriter*>& AdviceWriters();

/// All formats of --emit, which print the actions of the plan as text to paste.
const std::vector<const AdviceWriter*>& AdviceEmitters();

/// The format called `name` in either list; null: none.
const AdviceWriter* FindAdviceWriter(std::string_view name);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_ADVICE_WRITER_H_
