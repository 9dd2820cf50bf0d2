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

/// What is padded, each as the words of policies have it: "x, 1".
Expected<std::vector<std::string>> PaddedPlaces(const std::string& name, const Json& json,
                                                std::vector<std::string> dims) {
  if (dims.empty()) {
    dims = TextsMember(json, "columns");
    if (dims.size() > 1) {
      return MakeError(name + ": buckets in several dims cannot be replayed yet");
    }
  }
  if (dims.empty()) dims.emplace_back();
  std::vector<std::string> places;
  for (const std::string& dim : dims) {
    const std::optional<InputDim> padded = ParseInputDim(dim);
    if (!padded) {
      return MakeError(name +
                       (dim.empty() ? ": it does not tell what is padded"
                                    : ": '" + MakePrintable(dim) + "' is no dim") +
                       "; --dim x:1 says that it is dim 1 of x");
    }
    places.push_back(padded->name + ", " + std::to_string(padded->dim));
  }
  return places;
}

Expected<ReplayPlan> ReadBuckets(const std::string& name, const Json& json,
                                 const std::vector<std::string>& dims) {
  Expected<std::vector<std::string>> places = PaddedPlaces(name, json, dims);
  if (!places) return places.takeError();
  const std::vector<int64_t> sizes = NumbersOf(json, "boundaries");
  if (sizes.size() > kMostBuckets) return MakeError(name + ": more than 4096 buckets");
  const auto for_each_place = [&](const std::string& before, const std::string& after) {
    std::string words;
    for (const std::string& place : *places) {
      words += (words.empty() ? "" : " + ") + before + "(" + place + after + ")";
    }
    return words;
  };
  const auto buckets_of = [&](const std::vector<int64_t>& list) {
    std::string stated;
    for (const int64_t size : list) stated += (stated.empty() ? ", " : "|") + std::to_string(size);
    std::string words =
        for_each_place("buckets", stated) + " + " + for_each_place("mark_static", "");
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
  add(for_each_place("mark_dynamic", ""), is_dynamic);
  return plan;
}

}  // namespace

bool IsSavedReport(std::string_view text) {
  text = text.substr(0, kSniffBytes);
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

Expected<ReplayPlan> ReadReplayPlan(const std::string& name, std::string_view text,
                                    const std::vector<std::string>& dims) {
  const std::string shown = MakePrintable(name);
  const Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return MakeError(shown + ": the JSON is cut or damaged");
  const std::string schema = TextMember(json, "schema");
  Expected<ReplayPlan> plan = ReplayPlan();
  if (schema == kAdviseSchema) {
    plan = ReadAdvice(json);
  } else if (schema == kBucketsSchema) {
    plan = ReadBuckets(shown, json, dims);
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
