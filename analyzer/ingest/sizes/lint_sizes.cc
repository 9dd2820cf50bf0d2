// Sizes in a lint result: those of the calls that missed a cache, because logs report only these.

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ingest/sizes/size_rows.h"
#include "model/call_history_builder.h"
#include "model/source_ref.h"

namespace shapewise {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

/// The sizes of one dim of one function, as far as they are reported.
struct SeenDim {
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

std::optional<int64_t> LoggedSize(std::string_view text) {
  uint64_t size = 0;
  if (!ParseWholeNumber(text, uint64_t{kMaxSize}, size).empty()) return std::nullopt;
  return static_cast<int64_t>(size);
}

class LintSizes final : public SizeFormReader {
 public:
  explicit LintSizes(SizeRows& rows) : SizeFormReader(rows) {
    rows_.totals.form = SizeForm::kLintResult;
    rows_.totals.is_censored = true;
  }

  void Finish() override {
    if (!rows_.error.empty()) return;
    JsonParser parser;
    object result;
    if (!parser.Parse(text_, result)) return rows_.Fail("it is no whole lint result");
    if (!JsonText(result, "schema").starts_with("shapewise.lint/")) {
      return rows_.Fail(
          "it is a JSON object over several lines, and no lint result; JSON lines hold "
          "one object a line");
    }
    if (!rows_.query.columns.empty()) {
      return rows_.Fail("in a lint result sizes are named by --source, as in x:1, not by --column");
    }
    if (rows_.query.dims() > 1) {
      return rows_.Fail(
          "a lint result lists each size by itself; sizes that belong together are in call "
          "records");
    }
    ForEachObject(result, "events", [&](object event) { ReadEvent(event); });
    // Without --events, findings list the values of their culprit, at most 32 of them.
    if (dims_.empty()) {
      ForEachObject(result, "findings", [&](object finding) { ReadFinding(finding); });
    }
    Emit();
  }

 private:
  void OnLine(std::string_view text, uint64_t line) override {
    if (text_.size() + text.size() > kMaxBytes) return OnTooLong(line);
    text_.append(text).append("\n");
  }
  void OnTooLong(uint64_t) override { rows_.Fail("it is larger than 1 GiB"); }

  SeenDim* DimOf(std::string_view function, object json) {
    const std::string_view source = JsonText(json, "source");
    const std::optional<int64_t> dim = JsonInt(json, "dim");
    if (source.empty() || !dim) return nullptr;
    if (!rows_.query.function.empty() && function != rows_.query.function) return nullptr;
    const std::string name = NameOfSource(source) + ":" + std::to_string(*dim);
    const auto [known, is_new] = numbers_.try_emplace({std::string(function), name}, dims_.size());
    if (is_new) dims_.push_back({std::string(function), name, {}, {}, {}});
    return &dims_[known->second];
  }

  void ReadEvent(object event) {
    const std::string_view kind = JsonText(event, "kind");
    if (kind != "recompile" && kind != "recompile_limit") return;
    std::set<const SeenDim*> seen;  // one call, however many entries it missed
    ForEachObject(event, "reasons", [&](object reason) {
      if (JsonText(reason, "class") != "size") return;
      SeenDim* dim = DimOf(JsonText(event, "function"), reason);
      const std::optional<int64_t> actual = LoggedSize(JsonText(reason, "actual"));
      if (dim == nullptr || !actual) return;
      // The expected size is that of the call that compiled the entry, which is not reported
      // elsewhere.
      const std::optional<int64_t> expected = LoggedSize(JsonText(reason, "expected"));
      if (expected && !dim->distinct.contains(*expected)) dim->Add(*expected);
      if (seen.insert(dim).second) dim->Add(*actual);
      dim->ranks.insert(JsonInt(event, "rank").value_or(-1));
    });
  }

  void ReadFinding(object finding) {
    const std::optional<object> cause = JsonObject(finding, "cause");
    const std::optional<object> where = JsonObject(finding, "where");
    const std::optional<array> values = JsonArray(finding, "values");
    if (!cause || !values || JsonText(*cause, "class") != "size") return;
    SeenDim* dim = DimOf(where ? JsonText(*where, "function") : "", *cause);
    if (dim == nullptr) return;
    for (const element value : *values) {
      const auto text = JsonAs<std::string_view>(value);
      if (const auto size = text ? LoggedSize(*text) : std::nullopt) dim->Add(*size);
    }
  }

  void Emit() {
    if (!rows_.query.sources.empty()) {
      const SizeSource wanted = ParseSizeSource(rows_.query.sources[0]);
      const std::string name = wanted.name + ":" + std::to_string(wanted.dim.value_or(-1));
      std::vector<std::string> names;
      for (const SeenDim& dim : dims_) names.push_back(dim.name);
      std::erase_if(dims_, [&](const SeenDim& dim) { return dim.name != name; });
      if (dims_.empty() && !names.empty()) {
        return rows_.Fail("it contains no sizes of " + rows_.query.sources[0] + ", but of " +
                          QuotedNames(names));
      }
    }
    const auto most = std::ranges::max_element(dims_, [](const SeenDim& a, const SeenDim& b) {
      return std::pair(a.distinct.size(), a.sizes.size()) <
             std::pair(b.distinct.size(), b.sizes.size());
    });
    if (most == dims_.end()) {
      return rows_.Fail(
          "it contains no sizes: nothing was recompiled because of one" +
          (rows_.query.function.empty() ? std::string() : " in '" + rows_.query.function + "'"));
    }
    rows_.totals.columns = {most->name};
    rows_.totals.is_ordered = most->ranks.size() < 2;
    if (dims_.size() > 1) {
      rows_.totals.note = "it contains sizes of " + std::to_string(dims_.size()) +
                          " dims; read is " + most->name + " of " + most->function +
                          ", which took the most";
    }
    for (const int64_t size : most->sizes) rows_.Take({size, 1, 1}, 1, 1);
  }

  std::string text_;
  std::vector<SeenDim> dims_;  // in the order of the events
  std::map<std::pair<std::string, std::string>, size_t> numbers_;
};

}  // namespace

std::unique_ptr<SizeFormReader> NewLintSizes(SizeRows& rows) {
  return std::make_unique<LintSizes>(rows);
}

}  // namespace shapewise
