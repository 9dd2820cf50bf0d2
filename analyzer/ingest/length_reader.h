// Reads lengths of one dim as a history of calls.

#ifndef SHAPEWISE_INGEST_LENGTH_READER_H_
#define SHAPEWISE_INGEST_LENGTH_READER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/json_line_totals.h"
#include "model/recorded_function.h"
#include "support/text_input.h"

namespace shapewise {

class Redactor;

/// A tensor with one dim that takes the lengths.
struct LengthShape {
  std::string source;  ///< "L['x']"
  size_t dim = 0;      ///< the dim that varies
  /// All sizes; absent for `dim` and for unknown sizes.
  std::vector<std::optional<int64_t>> sizes;
};

/// Parses "x:1" (dim 1 of x; other sizes are the same in all calls) or "x[8,*,64]" (the dim at the
/// star). Error: neither form.
Expected<LengthShape> ParseLengthShape(std::string_view text);

/// Reads the lengths of `path` ("-": standard input) like ReadSizes() and adds one call per length
/// to `function`, which must be new. `redactor` rewrites its texts; null: texts are kept. Errors:
/// as for ReadSizes().
Expected<JsonLineTotals> ReadLengths(const std::string& path, const LengthShape& shape,
                                     FileSource& files, RecordedFunction& function,
                                     Redactor* redactor = nullptr);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_LENGTH_READER_H_
