// Sizes in JSON: members of objects, one object per line, or one list.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ingest/sizes/size_fields.h"
#include "ingest/sizes/size_rows.h"

namespace shapewise {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

constexpr int kMaxMemberDepth = 4;
constexpr size_t kMaxMembers = 64;

/// The member `path` of `json`: a name, or names of nested objects separated by dots; a name that
/// contains dots itself takes precedence.
std::optional<element> MemberAt(object json, std::string_view path) {
  if (const auto value = JsonAs<element>(json[path])) return value;
  const size_t dot = path.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto inner = JsonObject(json, path.substr(0, dot));
  return inner ? MemberAt(*inner, path.substr(dot + 1)) : std::nullopt;
}

/// Adds the paths of the members that are a number or a list, in order, a few levels deep.
void AddCountable(object json, const std::string& prefix, int depth,
                  std::vector<std::string>& paths) {
  for (const auto& [key, value] : json) {
    if (paths.size() == kMaxMembers) return;
    std::string path = prefix + std::string(key);
    const auto inner = JsonAs<object>(value);
    if (value.is_number() || value.is_array()) {
      paths.push_back(std::move(path));
    } else if (depth < kMaxMemberDepth && inner) {
      AddCountable(*inner, path + ".", depth + 1, paths);
    }
  }
}

/// The number in a member, or the length of its list. As ParseWholeNumber.
std::string_view CountOf(element json, uint64_t most, uint64_t& value) {
  if (json.is_null()) return "is missing";
  if (json.is_number()) return ParseWholeNumber(simdjson::minify(json), most, value);
  if (const auto text = JsonAs<std::string_view>(json)) {
    return ParseWholeNumber(*text, most, value);
  }
  const auto items = JsonAs<array>(json);
  if (!items) return "is no number";
  // array::size() saturates at 2^24 - 1: longer lists are not supported.
  value = items->size();
  return value < 0xFFFFFF && value <= most ? "" : "has too many items";
}

class JsonSizeLines final : public SizeFormReader {
 public:
  explicit JsonSizeLines(SizeRows& rows) : SizeFormReader(rows) {
    rows_.totals.form = SizeForm::kJsonLines;
  }

  void Finish() override {
    if (rows_.totals.lines.records == 0 && !missing_.empty()) rows_.Fail(missing_);
  }

 private:
  void OnLine(std::string_view text, uint64_t line) override {
    if (!rows_.error.empty()) return;
    element json;
    if (!parser_.Parse(text, json)) return rows_.totals.lines.NoteDamage(line, "it is no JSON");
    const auto fields = JsonAs<object>(json);
    if (!fields) return rows_.totals.lines.NoteDamage(line, "it is no JSON object");
    const std::vector<std::string>& columns = rows_.totals.columns;
    if (columns.empty()) Decide(*fields);
    if (!rows_.error.empty()) return;
    rows_.TakeRow(line, count_, [&](size_t i, uint64_t most, uint64_t& value) {
      const auto member = MemberAt(*fields, i < columns.size() ? columns[i] : count_);
      return member ? CountOf(*member, most, value) : "is missing";
    });
  }

  /// The first object decides which members are read.
  void Decide(object fields) {
    std::vector<std::string> members;
    AddCountable(fields, "", 1, members);
    const std::string described = members.empty() ? "no member holds a number or a list"
                                                  : "numbers and lists are " + QuotedNames(members);
    std::vector<std::string> columns = rows_.query.columns;
    std::vector<size_t> sizes;
    for (const std::string& wanted : columns) {
      if (!MemberAt(fields, wanted)) {
        missing_ = "there is no member '" + wanted + "': " + described;
      }
      const auto member = std::ranges::find(members, wanted);
      if (member != members.end()) sizes.push_back(static_cast<size_t>(member - members.begin()));
    }
    if (columns.empty()) {
      const std::optional<size_t> size = FindSizeColumn(members, rows_.query.count_column);
      if (!size) {
        return rows_.Fail("nothing says which member is the size: " + described +
                          "; name one, as in --column usage.tokens");
      }
      sizes = {*size};
      columns = {members[*size]};
    }
    count_ = rows_.query.count_column;
    const auto count = FindCountColumn(members, sizes, columns.size());
    if (count_.empty() && count) count_ = members[*count];
    rows_.totals.columns = std::move(columns);
  }

  JsonParser parser_;
  std::string count_;
  std::string missing_;  // members missing in the first object
};

class SizeList final : public SizeFormReader {
 public:
  explicit SizeList(SizeRows& rows) : SizeFormReader(rows) {
    rows_.totals.form = SizeForm::kList;
    rows_.totals.columns.emplace_back(kPlainName);
    if (rows_.query.dims() > 1 || !rows_.query.count_column.empty()) {
      rows_.Fail("a JSON list of sizes has no columns");
    }
  }

 private:
  void OnLine(std::string_view text, uint64_t line) override {
    OnText(text, line);
    EndToken(line);
  }

  // The list may be one line of any length.
  size_t OnPiece(std::string_view piece, uint64_t line, bool, bool is_last) override {
    OnText(piece, line);
    if (is_last) EndToken(line);
    return piece.size();
  }

  static constexpr size_t kMaxToken = 64;

  void OnText(std::string_view text, uint64_t line) {
    if (!rows_.error.empty()) return;
    for (const char c : text) {
      if (c == ',' || c == '[' || c == ']' || IsBlankChar(c)) {
        EndToken(line);
      } else if (token_.size() < kMaxToken) {
        token_ += c;
      }
    }
  }

  void EndToken(uint64_t line) {
    if (token_.empty()) return;
    rows_.TakeRow(line, "", [&](size_t, uint64_t most, uint64_t& value) {
      return ParseWholeNumber(token_, most, value);
    });
    token_.clear();
  }

  std::string token_;
};

}  // namespace

std::unique_ptr<SizeFormReader> NewJsonSizeLines(SizeRows& rows) {
  return std::make_unique<JsonSizeLines>(rows);
}

std::unique_ptr<SizeFormReader> NewSizeList(SizeRows& rows) {
  return std::make_unique<SizeList>(rows);
}

}  // namespace shapewise
