#include "compare/describe_changes.h"

#include <algorithm>
#include <string>

#include "shapewise/result/number_text.h"
#include "shapewise/support/terminal_text.h"

namespace shapewise {
namespace {

constexpr size_t kMaxValues = 8;

std::string ValuesText(const std::vector<std::string>& values) {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) {
    if (i == kMaxValues) return text + " and " + std::to_string(values.size() - i) + " more";
    text += (i == 0 ? "" : ", ") + ToUtf8(values[i]);  // as in a saved result
  }
  return text;
}

std::string YesNo(bool value) { return value ? "yes" : "no"; }

/// Object ids and lines in a backend's message differ from run to run.
bool HasStableValues(const Finding& finding) {
  return !finding.cause || (finding.cause->guard_class != GuardClass::kIdentity &&
                            finding.cause->guard_class != GuardClass::kBackend);
}

}  // namespace

std::string CountText(uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

bool IsLonger(double before, double after, const CompareOptions& options) {
  const double increase = after - before;
  return increase > options.max_increase_seconds && increase > options.max_increase * before;
}

bool IsWorse(const Finding& before, const Finding& after) {
  return after.severity > before.severity || (after.runs_eager && !before.runs_eager);
}

std::vector<Change> DescribeChanges(const Finding& before, const Finding& after, bool counts_count,
                                    const CompareOptions& options) {
  std::vector<Change> changes;
  const auto add = [&](std::string what, std::string old_text, std::string new_text,
                       bool is_worse = false) {
    if (old_text == new_text) return;
    changes.push_back({std::move(what), std::move(old_text), std::move(new_text), is_worse});
  };
  const bool counts_for_exit = options.fail_on && after.severity >= *options.fail_on;
  add("severity", std::string(SeverityName(before.severity)),
      std::string(SeverityName(after.severity)),
      counts_for_exit && after.severity > before.severity);
  add("runs eagerly", YesNo(before.runs_eager), YesNo(after.runs_eager),
      counts_for_exit && after.runs_eager);
  add("rule", before.rule, after.rule);
  add("function", before.identity.function, after.identity.function);
  add("file", before.identity.file, after.identity.file);
  add("class", before.identity.guard_class, after.identity.guard_class);
  add("type", before.identity.type, after.identity.type);
  if (!counts_count) return changes;

  add("count", std::to_string(before.count), std::to_string(after.count));
  if (HasStableValues(before) && HasStableValues(after)) {
    add("values", ValuesText(before.values), ValuesText(after.values));
  }
  const bool is_other_cost = before.cost_seconds && after.cost_seconds &&
                             (IsLonger(*before.cost_seconds, *after.cost_seconds, options) ||
                              IsLonger(*after.cost_seconds, *before.cost_seconds, options));
  if (is_other_cost) {
    add("cost", SecondsText(*before.cost_seconds), SecondsText(*after.cost_seconds));
  }
  return changes;
}

}  // namespace shapewise
