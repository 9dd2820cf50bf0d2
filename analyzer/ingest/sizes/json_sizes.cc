// Sizes in JSON: members of objects, one object per line, or one list.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

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

/// Takes the members of JSON objects.
class JsonObjects : public SizeFormReader {
 public:
  using SizeFormReader::SizeFormReader;

  void Finish() override {
    if (rows_.totals.lines.records == 0 && !missing_.empty()) rows_.Fail(missing_);
  }

 protected:
  void TakeObject(std::string_view text, uint64_t line) {
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

  /// Fails if the size of `text`, the only object of an input, is the length of a list: it may as
  /// well be a list of sizes.
  void RejectList(std::string_view text) {
    object fields;
    if (!parser_.Parse(text, fields)) return;
    if (rows_.totals.columns.empty()) Decide(fields);
    for (const std::string& column : rows_.totals.columns) {
      const auto member = MemberAt(fields, column);
      if (!member || !member->is_array()) continue;
      rows_.Fail("it is a single object, whose '" + column +
                 "' is a list: expected one object per call, or the list of sizes by itself");
    }
  }

 private:
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
                          "; name one with --column");
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

class JsonSizeLines final : public JsonObjects {
 public:
  explicit JsonSizeLines(SizeRows& rows) : JsonObjects(rows) {
    rows_.totals.form = SizeForm::kJsonLines;
  }

  void Finish() override {
    if (!is_first_) RejectList(first_);
    PassFirst();
    JsonObjects::Finish();
  }

 private:
  void OnLine(std::string_view text, uint64_t line) override {
    if (is_first_) {
      is_first_ = false;
      first_ = text;
      first_line_ = line;
      return;
    }
    PassFirst();
    TakeObject(text, line);
  }

  void PassFirst() {
    if (!first_.empty()) TakeObject(first_, first_line_);
    first_.clear();
  }

  bool is_first_ = true;
  std::string first_;  // until a second line comes
  uint64_t first_line_ = 0;
};

/// A list of sizes, or of objects.
class SizeList final : public JsonObjects {
 public:
  explicit SizeList(SizeRows& rows) : JsonObjects(rows) { rows_.totals.form = SizeForm::kList; }

 private:
  static constexpr size_t kMaxToken = 64;
  static constexpr size_t kMaxObject = size_t{1} << 26;

  void OnLine(std::string_view text, uint64_t line) override {
    OnText(text, line);
    if (braces_ == 0) EndToken(line);
  }

  // The list may be one line of any length.
  size_t OnPiece(std::string_view piece, uint64_t line, bool, bool is_last) override {
    OnText(piece, line);
    if (is_last && braces_ == 0) EndToken(line);
    return piece.size();
  }

  void OnText(std::string_view text, uint64_t line) {
    for (const char c : text) {
      if (!rows_.error.empty()) return;
      if (braces_ > 0) {
        OnObject(c, line);
      } else if (c == '{') {
        EndToken(line);
        OnObject(c, line);
      } else if (c == '[' && is_open_) {
        rows_.Fail("it is a list of lists: expected a list of sizes or of objects");
      } else if (c == ',' || c == '[' || c == ']' || IsBlankChar(c)) {
        is_open_ = c != ']' && (is_open_ || c == '[');
        EndToken(line);
      } else if (token_.size() < kMaxToken) {
        token_ += c;
      }
    }
  }

  void OnObject(char c, uint64_t line) {
    if (object_.size() == kMaxObject) return rows_.Fail("an object in it is longer than 64 MiB");
    object_ += c;
    if (is_in_string_) {
      is_in_string_ = c != '"' || is_escaped_;
      is_escaped_ = c == '\\' && !is_escaped_;
      return;
    }
    is_in_string_ = c == '"';
    braces_ += (c == '{' ? 1 : 0) - (c == '}' ? 1 : 0);
    if (braces_ > 0) return;
    if (are_numbers_) {
      rows_.NoteDamage(line, kPlainName, "is no number");
    } else {
      TakeObject(object_, line);
    }
    object_.clear();
  }

  void EndToken(uint64_t line) {
    if (token_.empty() || !rows_.error.empty()) return;
    if (rows_.totals.columns.empty()) {
      are_numbers_ = true;
      rows_.totals.columns.emplace_back(kPlainName);
      if (!rows_.query.columns.empty() || !rows_.query.count_column.empty()) {
        return rows_.Fail("a JSON list of sizes has no columns");
      }
    }
    if (!are_numbers_) {
      rows_.totals.lines.NoteDamage(line, "it is no JSON object");
    } else {
      rows_.TakeRow(line, "", [&](size_t, uint64_t most, uint64_t& value) {
        return ParseWholeNumber(token_, most, value);
      });
    }
    token_.clear();
  }

  std::string token_;
  std::string object_;  // from its first brace on
  int braces_ = 0;      // open ones in object_
  bool is_open_ = false;
  bool is_in_string_ = false;
  bool is_escaped_ = false;
  bool are_numbers_ = false;
};

}  // namespace

std::unique_ptr<SizeFormReader> NewJsonSizeLines(SizeRows& rows) {
  return std::make_unique<JsonSizeLines>(rows);
}

std::unique_ptr<SizeFormReader> NewSizeList(SizeRows& rows) {
  return std::make_unique<SizeList>(rows);
}

}  // namespace shapewise
