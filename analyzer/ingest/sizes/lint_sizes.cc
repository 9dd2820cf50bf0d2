// Sizes out of a lint result: those of the calls that a log tells of, which are those that missed a
// cache.

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ingest/calls/whole_lines.h"
#include "ingest/json_fields.h"
#include "ingest/sizes/size_number.h"
#include "ingest/sizes/size_rows.h"
#include "ingest/sizes/size_source.h"
#include "shapewise/model/call_history_builder.h"

namespace shapewise {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

/// What one dim of one function was, as far as told.
struct ToldDim {
  std::string function;
  std::string name;  // "x:1"
  std::vector<int64_t> sizes;
  std::set<int64_t> distinct;
  std::set<int64_t> ranks;

  void Add(int64_t size) {
    sizes.push_back(size);
    distinct.insert(size);
  }
};

std::optional<int64_t> SizeIn(object json, std::string_view key) {
  uint64_t size = 0;
  if (!ParseWholeNumber(JsonText(json, key), uint64_t{kMaxSize}, size).empty()) return std::nullopt;
  return static_cast<int64_t>(size);
}

class LintSizes final : public SizeFormReader, private LineSink {
 public:
  explicit LintSizes(SizeRows& rows) : rows_(rows) {
    rows_.totals.form = SizeForm::kLintResult;
    rows_.totals.is_censored = true;
    if (rows_.query.dims() > 1) {
      rows_.Fail(
          "a lint result tells one size at a time; sizes that belong together are in call "
          "records");
    }
  }

  LineSink& lines() override { return *this; }

  void Finish() override {
    if (!rows_.error.empty()) return;
    JsonParser parser;
    element json;
    object result;
    if (!parser.Parse(text_, json) || json.get(result) != simdjson::SUCCESS) {
      return rows_.Fail(text_.size() > WholeLines::kMaxBytes ? "it is larger than 1 GiB"
                                                             : "it is no whole lint result");
    }
    if (!JsonText(result, "schema").starts_with("shapewise.lint/")) {
      return rows_.Fail(
          "it is a JSON object over several lines, and no lint result; JSON lines hold "
          "one object a line");
    }
    if (const std::optional<array> events = JsonArray(result, "events")) ReadEvents(*events);
    // Without --events, findings tell the values of their culprit, at most 32 of them.
    if (dims_.empty()) {
      if (const std::optional<array> findings = JsonArray(result, "findings")) {
        ReadFindings(*findings);
      }
    }
    Emit();
  }

 private:
  void OnLines(std::string_view lines, uint64_t) override { Append(lines); }
  size_t OnPiece(std::string_view piece, uint64_t, bool, bool is_last) override {
    Append(piece);
    if (is_last) Append("\n");
    return piece.size();
  }

  /// One byte beyond the limit tells that it was passed.
  void Append(std::string_view text) {
    text_ += text.substr(
        0, WholeLines::kMaxBytes + 1 - std::min(text_.size(), WholeLines::kMaxBytes + 1));
  }

  ToldDim* DimOf(std::string_view function, object json) {
    const std::string_view source = JsonText(json, "source");
    const std::optional<int64_t> dim = JsonInt(json, "dim");
    if (source.empty() || !dim) return nullptr;
    if (!rows_.query.function.empty() && function != rows_.query.function) return nullptr;
    const std::string name = NameOfSource(source) + ":" + std::to_string(*dim);
    const auto [known, is_new] = numbers_.try_emplace({std::string(function), name}, dims_.size());
    if (is_new) dims_.push_back({std::string(function), name, {}, {}, {}});
    return &dims_[known->second];
  }

  void ReadEvents(array events) {
    for (const element item : events) {
      object event;
      if (item.get(event) != simdjson::SUCCESS) continue;
      const std::string_view kind = JsonText(event, "kind");
      const std::optional<array> reasons = JsonArray(event, "reasons");
      if ((kind != "recompile" && kind != "recompile_limit") || !reasons) continue;
      std::set<const ToldDim*> told;  // one call, however many entries it missed
      for (const element entry : *reasons) {
        object reason;
        if (entry.get(reason) != simdjson::SUCCESS || JsonText(reason, "class") != "size") continue;
        ToldDim* dim = DimOf(JsonText(event, "function"), reason);
        const std::optional<int64_t> actual = SizeIn(reason, "actual");
        if (dim == nullptr || !actual) continue;
        // What an entry expects came in a call that is told nowhere else: the one that compiled it.
        const std::optional<int64_t> expected = SizeIn(reason, "expected");
        if (expected && !dim->distinct.contains(*expected)) dim->Add(*expected);
        if (told.insert(dim).second) dim->Add(*actual);
        dim->ranks.insert(JsonInt(event, "rank").value_or(-1));
      }
    }
  }

  void ReadFindings(array findings) {
    for (const element item : findings) {
      object finding;
      if (item.get(finding) != simdjson::SUCCESS) continue;
      const std::optional<object> cause = JsonObject(finding, "cause");
      const std::optional<object> where = JsonObject(finding, "where");
      const std::optional<array> values = JsonArray(finding, "values");
      if (!cause || !values || JsonText(*cause, "class") != "size") continue;
      ToldDim* dim = DimOf(where ? JsonText(*where, "function") : "", *cause);
      if (dim == nullptr) continue;
      for (const element value : *values) {
        std::string_view text;
        uint64_t size = 0;
        if (value.get(text) == simdjson::SUCCESS &&
            ParseWholeNumber(text, uint64_t{kMaxSize}, size).empty()) {
          dim->Add(static_cast<int64_t>(size));
        }
      }
    }
  }

  void Emit() {
    if (!rows_.query.sources.empty()) {
      const SizeSource wanted = ParseSizeSource(rows_.query.sources[0]);
      const std::string name = wanted.name + ":" + std::to_string(wanted.dim.value_or(-1));
      std::vector<std::string> names;
      for (const ToldDim& dim : dims_) names.push_back(dim.name);
      std::erase_if(dims_, [&](const ToldDim& dim) { return dim.name != name; });
      if (dims_.empty() && !names.empty()) {
        return rows_.Fail("it tells no sizes of " + rows_.query.sources[0] + ", but of " +
                          QuotedNames(names));
      }
    }
    const auto most = std::ranges::max_element(dims_, [](const ToldDim& a, const ToldDim& b) {
      return std::pair(a.distinct.size(), a.sizes.size()) <
             std::pair(b.distinct.size(), b.sizes.size());
    });
    if (most == dims_.end()) {
      return rows_.Fail(
          "it tells no sizes: nothing recompiled for one" +
          (rows_.query.function.empty() ? std::string() : " in '" + rows_.query.function + "'"));
    }
    rows_.totals.columns = {most->name};
    rows_.totals.is_ordered = most->ranks.size() < 2;
    if (dims_.size() > 1) {
      rows_.totals.note = "it tells sizes of " + std::to_string(dims_.size()) + " dims; read is " +
                          most->name + " of " + most->function + ", which took the most";
    }
    for (const int64_t size : most->sizes) rows_.Take({size, 1, 1}, 1, 1);
  }

  SizeRows& rows_;
  std::string text_;
  std::vector<ToldDim> dims_;  // in the order in which they are told
  std::map<std::pair<std::string, std::string>, size_t> numbers_;
};

}  // namespace

std::unique_ptr<SizeFormReader> NewLintSizes(SizeRows& rows) {
  return std::make_unique<LintSizes>(rows);
}

}  // namespace shapewise
