// The guards of functions for people: one screen, worst first; the allowed values of each size, and
// the lines that restrict it. As JSON: schema shapewise.guards/1.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "report/document.h"
#include "report/formats.h"
#include "report/result_json.h"
#include "report/text_finding.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

// Limits without --all.
constexpr size_t kMaxGuardedFunctions = 10;
constexpr size_t kMaxVariables = 8;
constexpr size_t kMaxGuardLines = 4;
constexpr size_t kMaxOtherEntries = 3;
constexpr size_t kMaxValues = 8;

constexpr size_t kVerdict = 2;
constexpr size_t kName = 14;
constexpr size_t kWhat = 34;
constexpr size_t kLine = 14;

/// Whether to print it without --all.
bool IsOfInterest(const GuardedVariable& variable) {
  return variable.varies || variable.is_marked || variable.verdict.pinned_by != PinnedBy::kStatic;
}

bool IsOfInterest(const FunctionGuards& function) {
  return function.hit_limit ||
         std::ranges::any_of(function.variables,
                             [](const GuardedVariable& v) { return IsOfInterest(v); });
}

bool HasCulprit(const FunctionGuards& function) {
  return std::ranges::any_of(function.variables,
                             [](const GuardedVariable& v) { return v.IsCulprit(); });
}

/// "m.py:4"; with its folder if it is not in the function's own file. Empty: unknown.
std::string LineText(const Place& place, const FunctionGuards& function) {
  if (place.file.empty()) return {};
  const bool is_own = place.file == function.where.file;
  const std::string file = is_own ? place.file.substr(place.file.rfind('/') + 1) : place.file;
  return place.line == 0 ? file : file + ":" + std::to_string(place.line);
}

std::string ValuesText(const std::vector<int64_t>& values) {
  std::string text;
  for (size_t i = 0; i < std::min(values.size(), kMaxValues); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(values[i]);
  }
  if (values.size() > kMaxValues) text += ", ...";
  return text;
}

std::string AllowedRange(const EntryVerdict& verdict) {
  if (verdict.lower && verdict.upper) {
    return std::to_string(*verdict.lower) + " to " + std::to_string(*verdict.upper);
  }
  if (verdict.lower) return "from " + std::to_string(*verdict.lower) + " on";
  if (verdict.upper) return "up to " + std::to_string(*verdict.upper);
  return "any";
}

/// The allowed values in words: "multiples of 8", "2 to 64".
std::string LeftText(const EntryVerdict& verdict) {
  switch (verdict.verdict) {
    case SizeVerdict::kFree:
      return verdict.lower && *verdict.lower > 0 ? AllowedRange(verdict) : "any value";
    case SizeVerdict::kBounded:
      return AllowedRange(verdict);
    case SizeVerdict::kDivisible: {
      std::string text = verdict.remainder == 0 ? "multiples of " + std::to_string(verdict.modulus)
                                                : std::to_string(verdict.remainder) + " modulo " +
                                                      std::to_string(verdict.modulus);
      return text + ", " + AllowedRange(verdict);
    }
    case SizeVerdict::kRestricted:
      return "some values, " + AllowedRange(verdict);
    case SizeVerdict::kPinned:
      return "only " + std::to_string(verdict.value.value_or(0));
    case SizeVerdict::kUnknown:
      return verdict.why_unknown;
  }
  return {};
}

std::string HowText(const EntryVerdict& verdict) {
  switch (verdict.pinned_by) {
    case PinnedBy::kNothing:
      return {};
    case PinnedBy::kStatic:
      return "compiled as a constant";
    case PinnedBy::kSpecialization:
      return verdict.because.empty() ? "was a symbol and became a constant; the line is unknown"
                                     : "was a symbol, made a constant by";
    case PinnedBy::kRelations:
      return verdict.because.size() > 1 ? "a symbol, pinned by these together"
                                        : "a symbol, pinned by";
  }
  return {};
}

TextStyle StyleOf(const GuardedVariable& variable) {
  if (variable.IsCulprit()) return TextStyle::kWarning;
  return variable.verdict.verdict == SizeVerdict::kFree ? TextStyle::kStrong : TextStyle::kNote;
}

class GuardPage {
 public:
  GuardPage(const GuardReport& report, const ReportOptions& options)
      : report_(report), page_("guards", options.all) {}

  Document Make() {
    AddHeadline();
    std::vector<const FunctionGuards*> shown;
    for (const FunctionGuards& function : report_.functions) {
      if (page_.all() || IsOfInterest(function)) shown.push_back(&function);
    }
    shown.resize(page_.Shown(shown.size(), kMaxGuardedFunctions));
    for (const FunctionGuards* function : shown) AddFunction(*function);
    if (shown.size() < report_.functions.size()) page_.BlankLine();
    page_.AddRest(shown.size(), report_.functions.size(), "function");
    page_.AddList("What to keep in mind", report_.gaps);
    return std::move(page_);
  }

 private:
  void AddHeadline() {
    const size_t functions = report_.functions.size();
    const auto culprits = static_cast<size_t>(std::ranges::count_if(
        report_.functions, [](const FunctionGuards& function) { return HasCulprit(function); }));
    page_.Begin(0, 2);
    if (functions == 0) {
      page_.Add(TextStyle::kStrong, "No guards on sizes found");
    } else if (culprits == 0) {
      page_.Add(TextStyle::kStrong, "No size that varies is pinned")
          .Add(" (" + Counted(functions, "function") + " with guards)");
    } else {
      page_.Add(TextStyle::kWarning, "Sizes that vary are pinned in " + std::to_string(culprits) +
                                         " of " + std::to_string(functions) + " functions");
    }
  }

  void AddFunction(const FunctionGuards& function) {
    page_.BlankLine();
    std::string place = function.where.file;
    if (!place.empty() && function.where.line != 0) {
      place += ":" + std::to_string(function.where.line);
    }
    page_.Begin(0, 2).Add(TextStyle::kStrong, function.where.function.empty()
                                                  ? "function without a name"
                                                  : function.where.function);
    std::string rest;
    if (!place.empty()) rest += " (" + place + ")";
    rest += ", " + Counted(function.entries.size(), "cache entry", "cache entries");
    if (!function.ranks.empty()) rest += ", " + RanksText(function.ranks);
    if (function.hit_limit) rest += ", recompile limit reached";
    page_.Add(rest);
    size_t shown = 0;
    printed_codes_.clear();
    for (const GuardedVariable& variable : function.variables) {
      const bool is_shown = page_.all() || (IsOfInterest(variable) && shown < kMaxVariables);
      if (!is_shown) continue;
      AddVariable(variable, function);
      ++shown;
    }
    page_.AddRest(shown, function.variables.size(), "size", kVerdict);
    AddEntries(function);
    AddNeed(function);
    for (const std::string& gap : function.gaps) AddRow("unknown", gap);
  }

  void AddRow(std::string_view label, std::string_view text) {
    page_.Row(kVerdict, kName, label).Add(text);
  }

  void AddVariable(const GuardedVariable& variable, const FunctionGuards& function) {
    const EntryVerdict& verdict = variable.verdict;
    std::string what = LeftText(verdict);
    const std::string& id = function.entries[variable.entry].id;
    if (function.entries.size() > 1 && !id.empty()) what += " in [" + id + "]";
    if (const std::string how = HowText(verdict); !how.empty()) what += ": " + how;
    page_.Begin(kVerdict, kWhat)
        .Add(StyleOf(variable), SizeVerdictName(verdict.verdict))
        .Tab(kName)
        .Add(TextStyle::kStrong, variable.name)
        .Tab(kWhat)
        .Add(what);
    AddLines(verdict.because, function);
    if (verdict.because.size() > 1 && verdict.pinned_by != PinnedBy::kNothing &&
        !verdict.smallest_change.empty()) {
      AddDetail("without", JoinGuards(verdict.smallest_change) + " it would not be pinned");
    }
    std::string took = ValuesText(variable.values);
    if (variable.is_marked) took += took.empty() ? "marked dynamic" : "; marked dynamic";
    if (variable.automatic_frees && variable.varies) {
      took += *variable.automatic_frees ? "; automatic dynamic made it a symbol"
                                        : "; automatic dynamic did not make it a symbol";
    }
    if (!took.empty()) AddDetail("values", took);
    AddOtherEntries(variable, function);
    for (const Action& action : variable.advice) AddAdvice(action);
  }

  void AddDetail(std::string_view label, std::string_view text) {
    page_.Row(kName, kName + 9, label).Add(text);
  }

  static std::string JoinGuards(const std::vector<GuardLine>& lines) {
    return Joined(lines, " and ", [&](const GuardLine& line) { return line.guard; });
  }

  void AddLines(const std::vector<GuardLine>& lines, const FunctionGuards& function) {
    page_.AddSome(lines, kMaxGuardLines, "line", kLine, [&](const GuardLine& line) {
      page_.Begin(kLine, kLine + 4).Add(TextStyle::kCode, line.guard);
      const std::string place = LineText(line.user, function);
      if (!place.empty()) page_.Add("  " + place);
      if (!line.code.empty()) page_.Add(TextStyle::kFaint, "  " + line.code);
    });
  }

  /// Adds other entries in which code restricted the size.
  void AddOtherEntries(const GuardedVariable& variable, const FunctionGuards& function) {
    size_t shown = 0;
    for (const auto& [entry, verdict] : variable.by_entry) {
      const bool is_by_code = verdict.pinned_by == PinnedBy::kSpecialization ||
                              verdict.pinned_by == PinnedBy::kRelations;
      if (entry == variable.entry || !is_by_code) continue;
      if (!page_.all() && shown++ == kMaxOtherEntries) return;
      AddDetail("also", LeftText(verdict) + " in [" + function.entries[entry].id +
                            "]: " + HowText(verdict));
      AddLines(verdict.because, function);
    }
  }

  void AddAdvice(const Action& action) {
    // Sizes that vary together have the same code.
    if (!action.code.empty() && !printed_codes_.insert(action.code).second) return;
    page_.Row(kName, kName + 9, "help").Add(action.text);
    page_.AddCode(kName + 9, action.code);
  }

  void AddEntries(const FunctionGuards& function) {
    for (const GuardedEntryReport& entry : function.entries) {
      if (entry.is_contradictory) {
        AddRow("dead", "[" + entry.id + "]: no call can satisfy its guards");
      }
      if (!entry.shadowed_by.empty()) {
        std::string text =
            "[" + entry.id + "] is not reached any more: " + Ids(entry.shadowed_by, function) +
            (entry.shadowed_by.size() == 1 ? " takes" : " together take") + " all of its calls";
        if (!entry.is_shadow_certain) text += ", if one torch.compile(...) made them";
        AddRow("entry", text);
      }
      if (!entry.overlaps.empty()) {
        AddRow("entry", "[" + entry.id + "] and " + Ids(entry.overlaps, function) +
                            " take some of the same calls");
      }
    }
  }

  static std::string Ids(const std::vector<size_t>& indices, const FunctionGuards& function) {
    return Joined(indices, ", ",
                  [&](size_t index) { return "[" + function.entries[index].id + "]"; });
  }

  void AddNeed(const FunctionGuards& function) {
    if (!function.need) return;
    const GraphNeed& need = *function.need;
    if (need.is_of_run && !page_.all() && function.entries.size() < 2) return;
    std::string text = "for the " + Counted(need.calls, "call") +
                       (need.is_of_run ? " that were compiled: " : " asked about: ");
    if (need.undecided == need.calls) {
      text += "which entries they match is unknown";
    } else {
      text += std::string(need.is_least_exact ? "" : "at most ") + std::to_string(need.least) +
              " of " + Counted(need.entries, "graph") + (need.least == 1 ? " serves " : " serve ") +
              (need.served == need.calls ? "all" : std::to_string(need.served));
      if (need.uncovered > 0) {
        text += ", none takes " + std::to_string(need.uncovered) + " (" + need.examples[0] +
                (need.uncovered > 1 ? " ..." : "") + ")";
      }
      if (need.undecided > 0) text += ", " + std::to_string(need.undecided) + " undecided";
    }
    text += "; recompile_limit ";
    if (need.limit_at_most && *need.limit_at_most == need.limit_at_least) {
      text += std::to_string(need.limit_at_least) + " is enough";
    } else if (need.limit_at_most) {
      text += std::to_string(need.limit_at_least) + " to " + std::to_string(*need.limit_at_most) +
              " is needed";
    } else {
      text += "of at least " + std::to_string(need.limit_at_least) + " is needed";
    }
    AddRow("graphs", text);
  }

  const GuardReport& report_;
  std::set<std::string> printed_codes_;  // of the advice on the current function
  Document page_;
};

Json LinesJson(const std::vector<GuardLine>& lines) {
  return ListJson(lines, [](const GuardLine& line) -> Json {
    return {{"guard", line.guard},
            {"file", TextOrNull(line.user.file)},
            {"line", PositionOrNull(line.user.line)},
            {"function", TextOrNull(line.user.function)},
            {"code", TextOrNull(line.code)}};
  });
}

Json VerdictJson(const EntryVerdict& verdict) {
  const bool has_congruence = verdict.verdict == SizeVerdict::kDivisible;
  return {{"verdict", SizeVerdictName(verdict.verdict)},
          {"pinned_by", TextOrNull(PinnedByName(verdict.pinned_by))},
          {"value", NumberOrNull(verdict.value)},
          {"range", {NumberOrNull(verdict.lower), NumberOrNull(verdict.upper)}},
          {"modulus", has_congruence ? Json(verdict.modulus) : Json()},
          {"remainder", has_congruence ? Json(verdict.remainder) : Json()},
          {"because", LinesJson(verdict.because)},
          {"minimal", verdict.because.empty() ? Json() : Json(verdict.is_minimal)},
          {"smallest_change", LinesJson(verdict.smallest_change)},
          {"why_unknown", TextOrNull(verdict.why_unknown)}};
}

Json VariableJson(const FunctionGuards& function, const GuardedVariable& variable) {
  Json json = {{"name", variable.name},
               {"source", variable.source},
               {"kind", GuardedKindName(variable.kind)},
               {"dim", variable.dim < 0 ? Json() : Json(variable.dim)},
               {"culprit", variable.IsCulprit()},
               {"values", variable.values},
               {"marked_dynamic", variable.is_marked},
               {"automatic_dynamic_frees",
                variable.automatic_frees ? Json(*variable.automatic_frees) : Json()}};
  json.update(VerdictJson(variable.verdict));
  json["entry"] = TextOrNull(function.entries[variable.entry].id);
  json["by_entry"] = ListJson(variable.by_entry, [&](const auto& by_entry) {
    Json row = {{"entry", TextOrNull(function.entries[by_entry.first].id)}};
    row.update(VerdictJson(by_entry.second));
    return row;
  });
  json["advice"] = ListJson(variable.advice, ActionJson);
  return json;
}

Json IdsJson(const std::vector<size_t>& indices, const FunctionGuards& function) {
  return ListJson(indices, [&](size_t index) { return Json(function.entries[index].id); });
}

Json EntryJson(const FunctionGuards& function, const GuardedEntryReport& entry) {
  Json compiled_for = Json::object();
  for (const auto& [name, value] : entry.compiled_for) compiled_for[name] = value;
  const bool is_shadowed = !entry.shadowed_by.empty();
  return {{"id", TextOrNull(entry.id)},
          {"input", entry.input},
          {"line", PositionOrNull(entry.line)},
          {"compiled_for", std::move(compiled_for)},
          {"complete", entry.is_whole},
          {"why_not", TextOrNull(entry.why_not)},
          {"contradictory", entry.is_contradictory},
          {"unreachable", is_shadowed},
          {"shadowed_by", IdsJson(entry.shadowed_by, function)},
          {"same_wrapper", is_shadowed ? Json(entry.is_shadow_certain) : Json()},
          {"overlaps", IdsJson(entry.overlaps, function)}};
}

Json NeedJson(const GraphNeed& need) {
  return {{"calls_of", need.is_of_run ? "run" : "sizes"},
          {"calls", need.calls},
          {"served", need.served},
          {"uncovered", need.uncovered},
          {"undecided", need.undecided},
          {"least", need.least},
          {"least_is_exact", need.is_least_exact},
          {"examples", need.examples},
          {"entries", need.entries},
          {"recompile_limit",
           {{"at_least", need.limit_at_least}, {"at_most", NumberOrNull(need.limit_at_most)}}}};
}

Json GuardedFunctionJson(const FunctionGuards& function) {
  return {{"where", PlaceJson(function.where)},
          {"ranks", function.ranks},
          {"hit_limit", function.hit_limit},
          {"variables", ListJson(function.variables, VariableJson, function)},
          {"entries", ListJson(function.entries, EntryJson, function)},
          {"graphs", function.need ? NeedJson(*function.need) : Json()},
          {"gaps", function.gaps}};
}

}  // namespace

Document DescribeGuards(const GuardReport& report, const std::vector<std::string>& /*inputs*/,
                        const ReportOptions& options) {
  return GuardPage(report, options).Make();
}

void WriteGuardJson(const GuardReport& report, const std::vector<std::string>& inputs,
                    const ReportOptions& options, llvm::raw_ostream& out) {
  JsonStream object("shapewise.guards/1", options, out);
  object.Member("inputs", inputs);
  object.List("functions", report.functions, GuardedFunctionJson);
  object.Member("gaps", report.gaps);
  object.Member("unread", report.unread);
}

}  // namespace shapewise
