#include "saved/saved_result.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "result/fields.h"
#include "saved/json_fields.h"
#include "support/terminal_text.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kLintSchema = "shapewise.lint/1";
constexpr std::string_view kBaselineSchema = "shapewise.baseline/1";

std::string_view SkipBlanks(std::string_view text) {
  while (!text.empty() && (IsBlankChar(text.front()) || text.front() == '\n')) {
    text.remove_prefix(1);
  }
  return text;
}

/// "old.json:3:17", the position of byte `offset` (1-based, as in nlohmann::json) in `text`.
std::string PlaceOfByte(std::string_view text, const std::string& name, size_t offset) {
  const std::string_view before =
      text.substr(0, std::min(offset == 0 ? 0 : offset - 1, text.size()));
  const auto line = std::ranges::count(before, '\n') + 1;
  const size_t last_newline = before.rfind('\n');
  const size_t column =
      last_newline == std::string_view::npos ? before.size() : before.size() - last_newline - 1;
  return name + ":" + std::to_string(line) + ":" + std::to_string(column + 1);
}

/// The position after the string whose opening quote is at `begin`, or the end.
size_t StringEnd(std::string_view text, size_t begin) {
  size_t at = begin + 1;
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

/// `text` with its events replaced by null and blanks, because they can be a thousand times larger
/// than the rest. (A callback of nlohmann::json that drops them takes quadratic time.)
std::string WithoutEvents(std::string_view text) {
  std::string rest(text);
  size_t depth = 0;
  std::optional<size_t> events;  // start of the events
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"') {
      const size_t end = StringEnd(text, at);
      const bool is_key = depth == 1 && SkipBlanks(text.substr(end)).starts_with(':');
      if (is_key && text.substr(at, end - at) == "\"events\"") events = text.find(':', end) + 1;
      at = end;
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    const bool closes = c == '}' || c == ']';
    if (events && depth == 1 && (c == ',' || closes) && at - *events >= 4) {
      std::fill(rest.begin() + *events, rest.begin() + at, ' ');
      rest.replace(*events, 4, "null");
      events.reset();
    }
    if (closes && depth > 0) --depth;
    ++at;
  }
  return rest;
}

Expected<Json> Parse(std::string_view text, const std::string& name) {
  try {
    return Json::parse(WithoutEvents(text));
  } catch (const Json::parse_error& error) {
    return MakeError(PlaceOfByte(text, name, error.byte) + ": no whole JSON document");
  } catch (const Json::exception&) {  // a number out of range
    return MakeError(name + ": no JSON document that can be read");
  }
}

/// The value up to `last` that `name_of` calls `name`; absent if there is none.
template <typename Enum>
std::optional<Enum> ValueNamed(std::string_view name, std::string_view (*name_of)(Enum),
                               Enum last) {
  for (size_t i = 0; i <= static_cast<size_t>(last); ++i) {
    if (name_of(static_cast<Enum>(i)) == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

Place ReadPlace(const JsonFields& fields) {
  Place place;
  fields.Read("function", place.function);
  fields.Read("file", place.file);
  fields.Read("line", place.line);
  return place;
}

Culprit ReadCulprit(const JsonFields& fields) {
  Culprit culprit;
  std::string name(GuardClassName(culprit.guard_class));
  fields.Read("class", name);
  const std::optional<GuardClass> guard_class =
      ValueNamed(name, GuardClassName, static_cast<GuardClass>(kNumGuardClasses - 1));
  if (!guard_class) fields.Fail("class", "no class of guards is called so");
  culprit.guard_class = guard_class.value_or(GuardClass::kOther);
  std::string type;
  fields.Read("value_type", type);
  // Results of earlier versions have other types.
  culprit.value_type =
      ValueNamed(type, PythonTypeName, static_cast<PythonType>(kNumPythonTypes - 1))
          .value_or(PythonType::kUnknown);
  fields.Read("source", culprit.source);
  fields.Read("dim", culprit.dim);
  return culprit;
}

Action ReadAction(const JsonFields& fields) {
  Action action;
  fields.Read("kind", action.kind);
  fields.ReadObject("target", [&](const JsonFields& target) {
    action.target = ReadPlace(target);
    target.Read("source", action.source);
    target.Read("dim", action.dim);
  });
  fields.Read("text", action.text);
  fields.Read("code", action.code);
  fields.Read("trap", action.trap);
  fields.ReadObject(
      "saves", [&](const JsonFields& saves) { saves.Read("compiles", action.saves_compiles); });
  fields.Read("confidence", action.confidence);
  fields.Read("torch", action.torch);
  return action;
}

/// Reads the members of one object, if present.
class FieldReader {
 public:
  explicit FieldReader(const JsonFields& fields) : fields_(fields) {}

  template <typename T>
  void OrNull(const char* name, T& value) const {
    Always(name, value);
  }
  template <typename T>
  void Always(const char* name, T& value) const {
    fields_.Read(name, value);
  }
  void Always(const char* name, Severity& severity) const {
    std::string word(SeverityName(severity));
    fields_.Read(name, word);
    const std::optional<Severity> read = ValueNamed(word, SeverityName, Severity::kError);
    if (!read) fields_.Fail(name, "expected note, warning or error");
    severity = read.value_or(severity);
  }
  void Always(const char* name, Place& place) const {
    fields_.ReadObject(name, [&](const JsonFields& fields) { place = ReadPlace(fields); });
  }
  void Always(const char* name, std::optional<Culprit>& culprit) const {
    fields_.ReadObject(name, [&](const JsonFields& fields) { culprit = ReadCulprit(fields); });
  }
  void Always(const char* name, Identity& identity) const {
    fields_.ReadObject(
        name, [&](const JsonFields& fields) { VisitFields(FieldReader(fields), identity); });
  }
  void Always(const char* name, std::vector<Action>& advice) const {
    fields_.ReadObjects(name,
                        [&](const JsonFields& fields) { advice.push_back(ReadAction(fields)); });
  }
  void Always(const char* name, std::vector<NextStep>& steps) const {
    fields_.ReadObjects(name, [&](const JsonFields& fields) {
      VisitFields(FieldReader(fields), steps.emplace_back());
    });
  }
  void Always(const char* name, std::vector<std::string>& texts) const {
    fields_.ReadList(name, texts);
  }
  void Always(const char* name, std::vector<int32_t>& ranks) const {
    fields_.ReadList(name, ranks);
  }
  // Indices into a list of events that is not read.
  void Always(const char* /*name*/, std::vector<size_t>& /*events*/) const {}

 private:
  const JsonFields& fields_;
};

Finding ReadFinding(const JsonFields& fields) {
  for (const char* key : {"rule", "severity", "identity", "fingerprint"}) fields.Require(key);
  Finding finding;
  VisitFields(FieldReader(fields), finding);
  return finding;
}

RunSummary ReadSummary(const JsonFields& fields) {
  RunSummary summary;
  VisitCounts(FieldReader(fields), summary);
  fields.ReadObjects("eager_functions", [&](const JsonFields& eager) {
    EagerFunction function;
    function.where = ReadPlace(eager);
    eager.Read("limit", function.limit);
    eager.ReadObjects("below",
                      [&](const JsonFields& below) { function.below.push_back(ReadPlace(below)); });
    summary.eager_functions.push_back(std::move(function));
  });
  fields.ReadList("ranks", summary.ranks);
  fields.ReadObject("torch", [&](const JsonFields& torch) {
    torch.Read("range", summary.torch);
    torch.Read("why", summary.torch_why);
  });
  fields.Read("lines", summary.lines);
  fields.Read("damaged", summary.damaged);
  fields.Read("unknown_lines", summary.unknown_lines);
  fields.Read("failure", summary.failure);
  return summary;
}

Printed ReadPrinted(const JsonFields& fields, const char* key) {
  std::optional<bool> is_printed;
  fields.Read(key, is_printed);
  if (!is_printed) return Printed::kUnknown;
  return *is_printed ? Printed::kYes : Printed::kNo;
}

}  // namespace

bool LooksSaved(std::string_view head) {
  for (const std::string_view token : {"{", "\"schema\"", ":", "\"shapewise."}) {
    head = SkipBlanks(head);
    if (!ConsumeFront(head, token)) return false;
  }
  return !head.starts_with("calls/");
}

Expected<SavedResult> ReadSavedResult(std::string_view text, const std::string& name) {
  if (text.size() > kMaxSavedBytes) {
    return MakeError(name + ": longer than 256 MiB; save the result without --events");
  }
  Expected<Json> document = Parse(text, name);
  if (!document) return document.takeError();

  std::string error;
  const JsonFields fields(*document, "", error);
  std::string schema;
  fields.Read("schema", schema);
  if (error.empty() && schema != kLintSchema && schema != kBaselineSchema) {
    return MakeError(name + ": expected a result of lint (\"schema\": \"" +
                     std::string(kLintSchema) + "\") or a baseline (\"" +
                     std::string(kBaselineSchema) + "\"), but its schema is \"" +
                     MakePrintable(schema) + "\"");
  }

  SavedResult saved;
  saved.is_baseline = schema == kBaselineSchema;
  LintResult& result = saved.result;
  fields.Require("findings");
  fields.ReadObject("summary",
                    [&](const JsonFields& summary) { result.summary = ReadSummary(summary); });
  fields.ReadObject("coverage", [&](const JsonFields& coverage) {
    result.coverage.recompiles = ReadPrinted(coverage, "recompiles");
    result.coverage.graph_breaks = ReadPrinted(coverage, "graph_breaks");
  });
  fields.ReadObjects("findings", [&](const JsonFields& finding) {
    result.findings.push_back(ReadFinding(finding));
  });
  fields.ReadList("gaps", result.gaps);
  if (!error.empty()) return MakeError(name + ": " + error);
  return saved;
}

}  // namespace shapewise
