// Sizes that are members of JSON objects, one object a line.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ingest/calls/whole_lines.h"
#include "ingest/json_fields.h"
#include "ingest/sizes/json_path.h"
#include "ingest/sizes/size_number.h"
#include "ingest/sizes/size_rows.h"

namespace shapewise {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

/// The number that a member holds, or how many items its list has. As ParseWholeNumber.
std::string_view CountOf(element json, uint64_t most, uint64_t& value) {
  switch (json.type()) {
    case simdjson::dom::element_type::INT64:
      if (int64_t(json) < 0) return "is negative";
      value = static_cast<uint64_t>(int64_t(json));
      return value <= most ? "" : "is too large";
    case simdjson::dom::element_type::UINT64:
      return "is too large";
    case simdjson::dom::element_type::DOUBLE:
      return CheckWholeNumber(double(json), most, value);
    case simdjson::dom::element_type::STRING:
      return ParseWholeNumber(std::string_view(json), most, value);
    case simdjson::dom::element_type::ARRAY:
      // array::size() saturates at 2^24 - 1: too many to be told are too many to be read.
      value = array(json).size();
      return value < 0xFFFFFF && value <= most ? "" : "has too many items";
    case simdjson::dom::element_type::NULL_VALUE:
      return "is missing";
    default:
      return "is no number";
  }
}

class JsonSizeLines final : public SizeFormReader, private WholeLines {
 public:
  explicit JsonSizeLines(SizeRows& rows) : rows_(rows) { rows_.totals.form = SizeForm::kJsonLines; }

  LineSink& lines() override { return *this; }

  void Finish() override {
    if (rows_.totals.lines.records == 0 && !missing_.empty()) rows_.Fail(missing_);
  }

 private:
  void OnLine(std::string_view text, uint64_t line) override {
    if (!rows_.error.empty()) return;
    element json;
    object fields;
    if (!parser_.Parse(text, json)) return rows_.totals.lines.NoteDamage(line, "it is no JSON");
    if (json.get(fields) != simdjson::SUCCESS) {
      return rows_.totals.lines.NoteDamage(line, "it is no JSON object");
    }
    if (rows_.totals.columns.empty()) Decide(fields);
    if (!rows_.error.empty()) return;
    Sizes sizes{1, 1, 1};
    for (size_t dim = 0; dim < rows_.totals.columns.size(); ++dim) {
      uint64_t size = 0;
      if (!Read(fields, rows_.totals.columns[dim], uint64_t{kMaxSize}, line, size)) return;
      sizes[dim] = static_cast<int64_t>(size);
    }
    uint64_t calls = 1;
    if (!count_.empty() && !Read(fields, count_, SizeHistory::kMaxCalls, line, calls)) return;
    rows_.Take(sizes, calls, line);
  }

  void OnTooLong(uint64_t line) override {
    rows_.totals.lines.NoteDamage(line, "it is longer than 1 GiB");
  }

  bool Read(object fields, const std::string& path, uint64_t most, uint64_t line, uint64_t& value) {
    const std::optional<element> member = MemberAt(fields, path);
    const std::string_view why = member ? CountOf(*member, most, value) : "is missing";
    if (!why.empty()) rows_.NoteDamage(line, path, why);
    return why.empty();
  }

  /// The first object tells which members are read.
  void Decide(object fields) {
    const std::vector<std::string> members = CountableMembers(fields);
    std::vector<std::string> columns = rows_.query.columns;
    for (const std::string& wanted : columns) {
      if (!MemberAt(fields, wanted)) {
        missing_ = "there is no member '" + wanted + "': " + Told(members);
      }
    }
    if (columns.empty()) {
      for (const std::string& member : members) {
        if (member != rows_.query.count_column && !IsCountName(member, members.size() == 2)) {
          columns.push_back(member);
        }
      }
      if (columns.size() != 1) {
        std::erase_if(columns, [](const std::string& member) { return !IsSizeName(member); });
      }
      if (columns.size() != 1) {
        return rows_.Fail("nothing says which member is the size: " + Told(members) +
                          "; name one, as in --column usage.tokens");
      }
    }
    count_ = rows_.query.count_column;
    for (const std::string& member : members) {
      const bool is_wanted = std::ranges::find(columns, member) != columns.end();
      if (count_.empty() && !is_wanted &&
          IsCountName(member, members.size() == columns.size() + 1)) {
        count_ = member;
      }
    }
    if (!count_.empty()) {
      rows_.totals.is_ordered = false;
      rows_.totals.form = SizeForm::kHistogram;
    }
    rows_.totals.columns = std::move(columns);
  }

  static std::string Told(const std::vector<std::string>& members) {
    return members.empty() ? "no member holds a number or a list"
                           : "numbers and lists are " + QuotedNames(members);
  }

  SizeRows& rows_;
  JsonParser parser_;
  std::string count_;
  std::string missing_;  // what the first object lacks
};

}  // namespace

std::unique_ptr<SizeFormReader> NewJsonSizeLines(SizeRows& rows) {
  return std::make_unique<JsonSizeLines>(rows);
}

}  // namespace shapewise
