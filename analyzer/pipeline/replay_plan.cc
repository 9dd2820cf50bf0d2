#include "pipeline/replay_plan.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "llvm/ADT/StringRef.h"
#include "pipeline/json_members.h"
#include "shapewise/support/terminal_text.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kAdviseSchema = "shapewise.advise/1";
constexpr std::string_view kBucketsSchema = "shapewise.buckets/1";
constexpr size_t kSniffBytes = 256;
// A run that compiles more is told so by the simulator; nobody reads a longer list.
constexpr size_t kMostBuckets = 4096;
constexpr int64_t kDefaultLimit = 8;

std::vector<int64_t> NumbersOf(const Json& json, const char* key) {
  std::vector<int64_t> numbers;
  const Json* found = FindMember(json, key);
  if (found == nullptr || !found->is_array()) return numbers;
  for (const Json& entry : *found) {
    if (entry.is_number_integer()) numbers.push_back(entry.get<int64_t>());
  }
  return numbers;
}

/// Adds what the chosen actions are together, in the order in which they were chosen.
void AddTogether(const std::vector<size_t>& chosen, ReplayPlan& plan) {
  ProposedPolicy together;
  together.is_plan = true;
  for (const size_t action : chosen) {
    for (const ProposedPolicy& single : plan.policies) {
      if (single.actions != std::vector<size_t>{action}) continue;
      if (!together.words.empty()) together.words += " + ";
      together.words += single.words;
      together.actions.push_back(action);
      if (together.target == Place{}) together.target = single.target;
    }
  }
  if (!together.words.empty()) plan.policies.push_back(std::move(together));
}

ReplayPlan ReadAdvice(const Json& json) {
  ReplayPlan plan;
  const Json* actions = FindMember(json, "actions");
  if (actions != nullptr && actions->is_array()) {
    for (size_t i = 0; i < actions->size(); ++i) {
      const Json& action = (*actions)[i];
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
  }
  if (const Json* chosen = FindMember(json, "plan")) {
    std::vector<size_t> indices;
    for (const int64_t index : NumbersOf(*chosen, "actions")) {
      if (index >= 0) indices.push_back(static_cast<size_t>(index));
    }
    AddTogether(indices, plan);
  }
  return plan;
}

/// The tensor and the dim of "x:1"; absent: it is not of this form.
std::optional<std::pair<std::string, int64_t>> DimOf(std::string_view text) {
  const size_t colon = text.rfind(':');
  int64_t dim = 0;
  if (colon == 0 || colon == std::string_view::npos) return std::nullopt;
  const std::string_view number = text.substr(colon + 1);
  if (llvm::StringRef(number.data(), number.size()).getAsInteger(10, dim) || dim < 0) {
    return std::nullopt;
  }
  return std::pair(std::string(text.substr(0, colon)), dim);
}

Expected<ReplayPlan> ReadBuckets(const std::string& name, const Json& json, std::string dim) {
  if (dim.empty()) {
    const std::vector<std::string> columns = TextsMember(json, "columns");
    if (columns.size() > 1) {
      return MakeError(name + ": buckets in several dims cannot be replayed yet");
    }
    if (!columns.empty()) dim = columns.front();
  }
  const auto padded = DimOf(dim);
  if (!padded) {
    return MakeError(name +
                     (dim.empty() ? ": it does not tell what is padded"
                                  : ": '" + MakePrintable(dim) + "' is no dim") +
                     "; --dim x:1 says that it is dim 1 of x");
  }
  const std::vector<int64_t> sizes = NumbersOf(json, "boundaries");
  if (sizes.size() > kMostBuckets) return MakeError(name + ": more than 4096 buckets");
  const std::string place = padded->first + ", " + std::to_string(padded->second);
  const auto buckets_of = [&](const std::vector<int64_t>& list) {
    std::string words = "buckets(" + place + ", ";
    for (size_t i = 0; i < list.size(); ++i) {
      words += (i == 0 ? "" : "|") + std::to_string(list[i]);
    }
    words += ") + mark_static(" + place + ")";
    const auto count = static_cast<int64_t>(list.size());
    if (count > kDefaultLimit) words += " + limit " + std::to_string(count);
    return words;
  };
  const Json* recommended = FindMember(json, "recommend");
  const bool is_dynamic =
      sizes.empty() || (recommended != nullptr && TextMember(*recommended, "mode") == "dynamic");
  ReplayPlan plan;
  const auto add = [&](std::string words, bool is_plan) {
    plan.policies.push_back({.words = std::move(words), .is_plan = is_plan});
  };
  if (!sizes.empty()) add(buckets_of(sizes), !is_dynamic);
  if (sizes.size() > 1) add(buckets_of({sizes.back()}), false);
  add("mark_dynamic(" + place + ")", is_dynamic);
  return plan;
}

}  // namespace

bool IsSavedReport(std::string_view text) {
  text = text.substr(0, kSniffBytes);
  return Trim(text).starts_with('{') && HasText(text, "\"schema\": \"shapewise.");
}

Expected<ReplayPlan> ReadReplayPlan(const std::string& name, std::string_view text,
                                    const std::string& dim) {
  const std::string shown = MakePrintable(name);
  const Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return MakeError(shown + ": the JSON is cut or damaged");
  const std::string schema = TextMember(json, "schema");
  Expected<ReplayPlan> plan = ReplayPlan();
  if (schema == kAdviseSchema) {
    plan = ReadAdvice(json);
  } else if (schema == kBucketsSchema) {
    plan = ReadBuckets(shown, json, dim);
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
