// What calls of a size cost, out of a file: measured elsewhere.

#ifndef SHAPEWISE_INGEST_COST_CURVE_READER_H_
#define SHAPEWISE_INGEST_COST_CURVE_READER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shapewise/ingest/json_line_totals.h"
#include "shapewise/model/cost_curve.h"
#include "shapewise/support/text_input.h"

namespace shapewise {

/// A curve, and the account of the file.
struct CostCurveFile {
  CostCurve curve;
  std::optional<double> compile_seconds;          ///< of a graph for one size: median of the rows
  std::optional<double> dynamic_compile_seconds;  ///< of one graph for all sizes
  JsonLineTotals lines;                           ///< `records`: rows of use
};

/// Reads timed sizes from `path` ("-": standard input): a table with a header, or JSON lines; the
/// columns are in docs/sizes.md. Rows of one size are told by their median; the curve ascends.
/// Error: it cannot be opened or read to its end, the columns are not there, or no row is of use.
Expected<CostCurveFile> ReadCostCurve(const std::string& path, FileSource& files);

/// Reads a list of sizes, as of a ladder to compare with: all numbers of a text, a csv or a JSON
/// list, ascending, each once. Error: it cannot be opened or read to its end, something in it is
/// neither a size nor a header, or it holds none.
Expected<std::vector<int64_t>> ReadSizeLadder(const std::string& path, FileSource& files);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_COST_CURVE_READER_H_
