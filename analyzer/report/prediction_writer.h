// Output formats of predictions.

#ifndef SHAPEWISE_REPORT_PREDICTION_WRITER_H_
#define SHAPEWISE_REPORT_PREDICTION_WRITER_H_

#include <span>
#include <string_view>

#include "llvm/Support/raw_ostream.h"
#include "report/report_writer.h"
#include "result/prediction_report.h"

namespace shapewise {

/// A format. Answers to scenarios are printed one at a time: begin, answer for each, end. These are
/// null in a format of predictions of runs only.
struct PredictionFormat {
  std::string_view name;  ///< value of --format: "text"
  void (*begin)(const ReportOptions& options, llvm::raw_ostream& out);
  void (*answer)(const ScenarioAnswer& answer, const ReportOptions& options,
                 llvm::raw_ostream& out);
  void (*end)(const ScenarioTally& tally, const ReportOptions& options, llvm::raw_ostream& out);
  /// Prints the prediction of a run.
  OutputFormat<PredictionReport>::Function* write;
};

/// The formats of `predict`, the default first.
std::span<const PredictionFormat> PredictionFormats();

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_PREDICTION_WRITER_H_
