// Output formats of predictions. They compute nothing.

#ifndef SHAPEWISE_REPORT_PREDICTION_WRITER_H_
#define SHAPEWISE_REPORT_PREDICTION_WRITER_H_

#include <string_view>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "shapewise/report/report_writer.h"
#include "shapewise/result/prediction_report.h"

namespace shapewise {

/// A format. Stateless; equal results give equal bytes. Answers to scenarios are printed one at a
/// time: Begin, Answer for each, End.
class PredictionWriter {
 public:
  virtual ~PredictionWriter() = default;

  /// The value of --format: "text".
  virtual std::string_view name() const = 0;

  virtual void Begin(const ReportOptions& options, llvm::raw_ostream& out) const = 0;
  virtual void Answer(const ScenarioAnswer& answer, const ReportOptions& options,
                      llvm::raw_ostream& out) const = 0;
  virtual void End(const ScenarioTally& tally, const ReportOptions& options,
                   llvm::raw_ostream& out) const = 0;

  /// Prints the prediction of a run.
  virtual void Write(const PredictionReport& report, const ReportOptions& options,
                     llvm::raw_ostream& out) const = 0;
};

/// All formats, the default first. They live as long as the program.
const std::vector<const PredictionWriter*>& PredictionWriters();

/// The format called `name`; null: none.
const PredictionWriter* FindPredictionWriter(std::string_view name);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_PREDICTION_WRITER_H_
