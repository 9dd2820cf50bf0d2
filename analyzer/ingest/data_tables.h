// Wordings and names as data: the tables of analyzer/ingest/tables.

#ifndef SHAPEWISE_INGEST_DATA_TABLES_H_
#define SHAPEWISE_INGEST_DATA_TABLES_H_

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/json_fields.h"
#include "support/text_scan.h"

namespace shapewise {

/// The object in tables/`name`.json. Its texts are static.
simdjson::dom::object DataTable(std::string_view name);

/// Words and their meaning.
template <typename Meaning>
using WordTable = std::vector<std::pair<std::string_view, Meaning>>;

/// The rows [words, name] of `table`; `name_of` gives the name of each value up to `last`.
template <typename Meaning>
WordTable<Meaning> ReadWordTable(simdjson::dom::object table, std::string_view key, Meaning last,
                                 std::string_view (*name_of)(Meaning)) {
  WordTable<Meaning> words;
  for (const std::vector<std::string_view>& row : JsonTextRows(table, key)) {
    auto meaning = Meaning{};
    while (name_of(meaning) != row[1] && meaning != last) {
      meaning = static_cast<Meaning>(static_cast<int>(meaning) + 1);
    }
    words.emplace_back(row[0], meaning);
  }
  return words;
}

/// The meaning of the first words of `table` that occur in `text`.
template <typename Meaning>
std::optional<Meaning> FindWords(const WordTable<Meaning>& table, std::string_view text) {
  for (const auto& [words, meaning] : table) {
    if (HasText(text, words)) return meaning;
  }
  return std::nullopt;
}

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_DATA_TABLES_H_
