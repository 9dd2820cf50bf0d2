// Reads measured costs by size from a file.

#ifndef SHAPEWISE_INGEST_COST_CURVE_READER_H_
#define SHAPEWISE_INGEST_COST_CURVE_READER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ingest/json_line_totals.h"
#include "model/cost_curve.h"
#include "support/text_input.h"

namespace shapewise {

/// A curve, and how much of the file was read.
struct CostCurveFile {
  CostCurve curve;
  std::optional<double> compile_seconds;  ///< to compile a graph for one size: median of the rows
  std::optional<double> dynamic_compile_seconds;  ///< to compile one graph for all sizes
  JsonLineTotals lines;                           ///< `records`: usable rows
};

/// Reads timed sizes from `path` ("-": standard input): a table with a header, or JSON lines
/// (columns: docs/sizes.md). Several rows of one size are replaced by their median; the curve
/// ascends. Error: the file cannot be opened or read to its end, columns are missing, or no row is
/// usable.
Expected<CostCurveFile> ReadCostCurve(const std::string& path, FileSource& files);

/// Reads a list of sizes to compare with: all numbers of a text, a CSV or a JSON list, ascending
/// and distinct. Error: the file cannot be opened or read to its end, contains something other than
/// sizes and a header, or contains no sizes.
Expected<std::vector<int64_t>> ReadSizeLadder(const std::string& path, FileSource& files);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_COST_CURVE_READER_H_
