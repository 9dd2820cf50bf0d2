// Lengths that one dim took, as a history of calls.

#ifndef SHAPEWISE_INGEST_LENGTH_READER_H_
#define SHAPEWISE_INGEST_LENGTH_READER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/ingest/json_line_totals.h"
#include "shapewise/model/recorded_function.h"
#include "shapewise/support/text_input.h"

namespace shapewise {

class Redactor;

/// A tensor of which one dim takes the lengths.
struct LengthShape {
  std::string source;  ///< "L['x']"
  size_t dim = 0;      ///< the one that varies
  /// All sizes; that of `dim` and those that are not told are absent.
  std::vector<std::optional<int64_t>> sizes;
};

/// Reads "x:1" (dim 1 of x; its other sizes are the same in all calls) or "x[8,*,64]" (the dim at
/// the star). Error: it is neither.
Expected<LengthShape> ParseLengthShape(std::string_view text);

/// Reads the lengths of `path` ("-": standard input), as ReadSizes() does, and adds one call a
/// length to `function`, which is new; `redactor` rewrites its texts, null: they stay. Error: as
/// there.
Expected<JsonLineTotals> ReadLengths(const std::string& path, const LengthShape& shape,
                                     FileSource& files, RecordedFunction& function,
                                     Redactor* redactor = nullptr);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_LENGTH_READER_H_
