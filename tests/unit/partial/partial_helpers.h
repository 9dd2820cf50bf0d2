// Sessions to partials and back, in memory.

#ifndef SHAPEWISE_TESTS_UNIT_PARTIAL_PARTIAL_HELPERS_H_
#define SHAPEWISE_TESTS_UNIT_PARTIAL_PARTIAL_HELPERS_H_

#include <string>
#include <string_view>

#include "ingest/reader.h"
#include "llvm/Support/raw_ostream.h"
#include "partial/partial.h"

namespace shapewise {

/// The bytes of the partial of `session`.
inline std::string PartialOf(const Session& session) {
  std::string bytes;
  llvm::raw_string_ostream out(bytes);
  WritePartial(session, "0.0", out);
  out.flush();
  return bytes;
}

/// Reads `rows` of a partial, not compressed, into `session`, and returns what is wrong with them.
inline std::string ReadRows(std::string_view rows, Session& session) {
  PartialReader reader(session, session.AddInput("test.partial"));
  uint64_t number = 0;
  while (!rows.empty()) {
    const size_t newline = rows.find('\n');
    reader.ReadRow(rows.substr(0, newline), ++number);
    rows.remove_prefix(newline == std::string_view::npos ? rows.size() : newline + 1);
  }
  reader.Finish();
  session.SortByPlace();
  return reader.failure();
}

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_UNIT_PARTIAL_PARTIAL_HELPERS_H_
