#include "ingest/data_tables.h"

#include <cassert>
#include <deque>
#include <map>
#include <span>
#include <string>

#include "support/embedded_file.h"

namespace shapewise {

// Generated from analyzer/ingest/tables.
std::span<const EmbeddedFile> IngestTables();

simdjson::dom::object DataTable(std::string_view name) {
  static const std::map<std::string, simdjson::dom::object, std::less<>> tables = [] {
    static std::deque<JsonParser> parsers;
    std::map<std::string, simdjson::dom::object, std::less<>> all;
    for (const EmbeddedFile& file : IngestTables()) {
      const std::string_view path = file.path;
      const std::string_view stem = path.substr(path.rfind('/') + 1);
      const bool is_read =
          parsers.emplace_back().Parse(file.text, all[std::string(stem.substr(0, stem.find('.')))]);
      assert(is_read && "a table is a JSON object");
      static_cast<void>(is_read);
    }
    return all;
  }();
  return tables.find(name)->second;
}

}  // namespace shapewise
