// What all forms of sizes have in common: rows go to a sink, damage is counted, and what is asked
// for may not be there.

#ifndef SHAPEWISE_INGEST_SIZES_SIZE_ROWS_H_
#define SHAPEWISE_INGEST_SIZES_SIZE_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/ingest/size_reader.h"

namespace shapewise {

/// Where the rows of one input go.
struct SizeRows {
  const SizeQuery& query;
  SizeSink& sink;
  SizeTotals& totals;
  std::string error;  ///< what is asked for is not there; nothing is read any more

  /// The input can't be read as asked.
  void Fail(std::string why) {
    if (error.empty()) error = std::move(why);
  }

  void Take(const Sizes& sizes, uint64_t calls, uint64_t line) {
    if (const std::string_view why = sink.OnSizes(sizes, calls); !why.empty()) {
      return totals.lines.NoteDamage(line, std::string(why));
    }
    ++totals.lines.records;
  }

  /// "column 3 is no number": `what` as ParseWholeNumber says it.
  void NoteDamage(uint64_t line, std::string_view name, std::string_view what) {
    totals.lines.NoteDamage(line, std::string(name) + " " + std::string(what));
  }
};

/// Reads one form.
class SizeFormReader {
 public:
  virtual ~SizeFormReader() = default;

  /// Takes the lines of the input; OnLines may be given lines of any length.
  virtual LineSink& lines() = 0;
  /// The input has ended.
  virtual void Finish() {}
};

/// Sizes without a name of their own are called so.
inline constexpr std::string_view kPlainName = "length";

/// A column that holds how often a row came; with `is_alone`, no other column is left that it could
/// belong to, and shorter names will do.
bool IsCountName(std::string_view name, bool is_alone);
/// A column that can only be meant if there is no other.
bool IsSizeName(std::string_view name);

/// "'a', 'b', 'c'", and how many more.
std::string QuotedNames(std::span<const std::string> names);

/// The index in `names` of what a user calls `wanted`: its name, in any case if that is unique, or
/// its number, 1-based. names.size(): there is none.
size_t FindColumn(std::string_view wanted, std::span<const std::string> names);

/// Lines of numbers between commas, semicolons or blanks. `name` is that of the only column, from
/// the header; empty: there is none, and a second number is how often the first came.
std::unique_ptr<SizeFormReader> NewNumberLines(SizeRows& rows, std::string name);
/// Columns between `delimiter` (a blank: any number of blanks). The first line may be a header.
std::unique_ptr<SizeFormReader> NewTableLines(SizeRows& rows, char delimiter);
std::unique_ptr<SizeFormReader> NewJsonSizeLines(SizeRows& rows);
std::unique_ptr<SizeFormReader> NewSizeList(SizeRows& rows);
std::unique_ptr<SizeFormReader> NewRecordSizes(SizeRows& rows);
std::unique_ptr<SizeFormReader> NewLintSizes(SizeRows& rows);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_SIZES_SIZE_ROWS_H_
