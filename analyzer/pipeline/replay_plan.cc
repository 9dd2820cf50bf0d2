#include "pipeline/replay_plan.h"

#include <cmath>
#include <utility>

#include "llvm/ADT/StringRef.h"
#include "model/call_history_builder.h"
#include "model/source_ref.h"
#include "pipeline/json_members.h"
#include "support/terminal_text.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kAdviseSchema = "shapewise.advise/1";
constexpr std::string_view kBucketsSchema = "shapewise.buckets/1";
constexpr size_t kPlanSniffBytes = 256;

/// Adds the combination of the chosen actions, in the order in which they were chosen.
void AddTogether(const std::vector<size_t>& chosen, ReplayPlan& plan) {
  ProposedPolicy together;
  together.is_plan = true;
  for (const size_t action : chosen) {
    for (const ProposedPolicy& single : plan.policies) {
      if (single.actions != std::vector<size_t>{action}) continue;
      // One policy covers all functions that have an action for it.
      const bool is_new = !HasText(" + " + together.words + " + ", " + " + single.words + " + ");
      if (is_new && !together.words.empty()) together.words += " + ";
      if (is_new) together.words += single.words;
      together.actions.push_back(action);
      if (together.target == Place{}) together.target = single.target;
    }
  }
  if (!together.words.empty()) plan.policies.push_back(std::move(together));
}

ReplayPlan ReadAdvice(const Json& json) {
  ReplayPlan plan;
  const Json& actions = ListMember(json, "actions");
  for (size_t i = 0; i < actions.size(); ++i) {
    const Json& action = actions[i];
    ProposedPolicy proposed;
    proposed.words = TextMember(action, "policy");
    proposed.actions = {i};
    if (proposed.words.empty()) {
      ++plan.by_hand;
      continue;
    }
    if (const Json* target = FindMember(action, "target")) {
      proposed.target.function = TextMember(*target, "function");
      proposed.target.file = TextMember(*target, "file");
    }
    plan.policies.push_back(std::move(proposed));
  }
  if (const Json* chosen = FindMember(json, "plan")) {
    std::vector<size_t> indices;
    for (const int64_t index : IntsMember(*chosen, "actions")) {
      if (index >= 0) indices.push_back(static_cast<size_t>(index));
    }
    AddTogether(indices, plan);
  }
  return plan;
}

}  // namespace

bool IsSavedReport(std::string_view text) {
  text = text.substr(0, kPlanSniffBytes);
  return Trim(text).starts_with('{') && HasText(text, "\"schema\": \"shapewise.");
}

std::optional<InputDim> ParseInputDim(std::string_view text) {
  const size_t colon = text.rfind(':');
  InputDim found;
  if (colon == 0 || colon == std::string_view::npos) return std::nullopt;
  const std::string_view number = text.substr(colon + 1);
  if (llvm::StringRef(number.data(), number.size()).getAsInteger(10, found.dim) || found.dim < 0) {
    return std::nullopt;
  }
  found.name = text.substr(0, colon);
  return found;
}

std::optional<InputFill> ParseInputFill(std::string_view text) {
  const size_t equals = text.rfind('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const std::string_view name = Trim(text.substr(0, equals));
  const std::string_view fill = Trim(text.substr(equals + 1));
  double number = 0;
  if (name.empty() || llvm::StringRef(fill.data(), fill.size()).getAsDouble(number) ||
      !std::isfinite(number)) {
    return std::nullopt;
  }
  return InputFill{.name = NameOfSource(name), .fill = std::string(fill)};
}

Expected<ReplayPlan> ReadReplayPlan(const std::string& name, std::string_view text,
                                    const std::vector<std::string>& dims,
                                    const std::vector<InputFill>& fills) {
  const std::string shown = MakePrintable(name);
  const Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return MakeError(shown + ": the JSON is cut or damaged");
  const std::string schema = TextMember(json, "schema");
  Expected<ReplayPlan> plan = ReplayPlan();
  if (schema == kAdviseSchema) {
    plan = ReadAdvice(json);
  } else if (schema == kBucketsSchema) {
    plan = ReadBucketPlan(shown, json, dims, fills);
  } else {
    return MakeError(shown + ": it is a " + MakePrintable(schema) +
                     "; expected the JSON of shapewise advise or shapewise buckets");
  }
  if (plan) plan->inputs = TextsMember(json, "inputs");
  return plan;
}

ReplayPlan PlanOfAdvice(const Advice& advice) {
  ReplayPlan plan;
  for (size_t i = 0; i < advice.actions.size(); ++i) {
    const RankedAction& ranked = advice.actions[i];
    if (ranked.policy.empty()) {
      ++plan.by_hand;
      continue;
    }
    plan.policies.push_back(
        {.words = ranked.policy, .actions = {i}, .target = ranked.action.target});
  }
  AddTogether(advice.plan, plan);
  return plan;
}

}  // namespace shapewise
