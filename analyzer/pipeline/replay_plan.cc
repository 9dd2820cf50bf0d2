#include "pipeline/replay_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "model/call_history_builder.h"
#include "model/source_ref.h"
#include "pipeline/json_members.h"
#include "support/terminal_text.h"
#include "support/text_list.h"
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

using Json = nlohmann::json;

// The simulator reports excessive compiles anyway, and longer lists are unreadable.
constexpr size_t kMostBuckets = 4096;
constexpr int64_t kDefaultLimit = 8;

std::string NumberList(const std::vector<int64_t>& numbers) { return Joined(numbers, "|"); }

/// Reads a plan of buckets that assigns sizes of one dim.
class BucketPlanReader {
 public:
  BucketPlanReader(const std::string& name, const Json& json, const std::vector<InputFill>& fills)
      : name_(name), json_(json), fills_(fills) {
    if (const Json* recommended = FindMember(json, "recommend")) {
      mode_ = TextMember(*recommended, "mode");
      way_ = TextMember(*recommended, "way");
    }
  }

  Expected<ReplayPlan> Read(const std::vector<std::string>& dims) {
    Expected<ReplayPlan> plan = ReadPolicies(dims);
    if (!plan) return plan.takeError();
    for (const InputDim& padded : padded_) plan->padded.push_back(padded.name);
    return plan;
  }

 private:
  Expected<ReplayPlan> ReadPolicies(const std::vector<std::string>& dims) {
    const Json& boundaries = ListMember(json_, "boundaries");
    const bool is_joint = !boundaries.empty() && boundaries.front().is_array();
    const std::vector<std::string> listed = dims.empty() ? TextsMember(json_, "columns") : dims;
    // Columns of a table may have other names than dims.
    const bool are_dims = !dims.empty() || llvm::all_of(listed, ParseInputDim);
    if (is_joint) return ReadJoint(are_dims ? listed : std::vector<std::string>());
    if (Error error = ReadPlaces(listed)) return error;
    sizes_ = IntsMember(json_, "boundaries");
    if (sizes_.size() > kMostBuckets) return MakeError(name_ + ": more than 4096 buckets");
    Expected<std::string> planned = Planned();
    if (!planned) return planned.takeError();
    ReplayPlan plan;
    plan.policies.push_back({.words = std::move(*planned), .is_plan = true, .is_required = true});
    // Alternatives for comparison; a repeated policy is run once.
    const std::vector<int64_t> alone = BucketsAlone();
    if (!alone.empty()) plan.policies.push_back({.words = BucketsOf(alone)});
    if (!sizes_.empty()) plan.policies.push_back({.words = BucketsOf({LargestSize()})});
    plan.policies.push_back({.words = MarkAll("mark_dynamic")});
    return plan;
  }

  Error ReadPlaces(std::vector<std::string> dims) {
    if (dims.empty()) dims.emplace_back();
    for (const std::string& dim : dims) {
      const std::optional<InputDim> padded = ParseInputDim(dim);
      if (!padded) {
        return MakeError(name_ +
                         (dim.empty() ? ": it does not say what is padded"
                                      : ": '" + MakePrintable(dim) + "' is no dim") +
                         "; --dim x:1 says that it is dim 1 of x");
      }
      padded_.push_back(*padded);
    }
    return Error::success();
  }

  static std::string PlaceOf(const InputDim& padded) {
    return padded.name + ", " + std::to_string(padded.dim);
  }

  /// `before` followed by the padding value of that input; empty: the value is 0.
  std::string FillOf(const InputDim& padded, const std::string& before) const {
    const std::string name = NameOfSource(padded.name);
    const auto fill = std::ranges::find(fills_, name, &InputFill::name);
    return fill == fills_.end() ? "" : before + fill->fill;
  }

  /// "mark_static(x, 1) + mark_static(y, 1)": all dims get the same mark.
  std::string MarkAll(const std::string& mark) const {
    return Joined(padded_, " + ",
                  [&](const InputDim& padded) { return mark + "(" + PlaceOf(padded) + ")"; });
  }

  /// "x:0, y:0=-100": the dims padded together, with padding values.
  std::string AllPlaces() const {
    return Joined(padded_, ", ", [&](const InputDim& padded) {
      return padded.name + ":" + std::to_string(padded.dim) + FillOf(padded, "=");
    });
  }

  std::string Serve(const std::string& spans) const {
    const InputDim& first = padded_.front();
    const bool is_plain = padded_.size() == 1 && FillOf(first, "=").empty();
    return "serve(" + (is_plain ? PlaceOf(first) : AllPlaces()) + ", " + spans + ")";
  }

  /// Reads a plan with two or three dims: a call is padded to the first set that fits.
  Expected<ReplayPlan> ReadJoint(const std::vector<std::string>& dims) {
    const std::vector<std::vector<int64_t>> shapes = Shapes();
    if (shapes.empty() || shapes.size() > kMostBuckets) {
      return MakeError(name_ + ": its buckets are no sets of two or three sizes");
    }
    if (dims.size() != shapes.front().size()) {
      return MakeError(name_ + ": its buckets have " + std::to_string(shapes.front().size()) +
                       " sizes; --dim x:0 --dim x:1 says, in this order, what is padded to them");
    }
    if (Error error = ReadPlaces(dims)) return error;
    const auto policy_of = [&](const std::vector<std::vector<int64_t>>& list) {
      std::string sizes;
      for (const std::vector<int64_t>& shape : list) {
        if (!sizes.empty()) sizes += "|";
        for (size_t i = 0; i < shape.size(); ++i) {
          sizes += (i == 0 ? "" : "x") + std::to_string(shape[i]);
        }
      }
      return "buckets(" + AllPlaces() + ", " + sizes + ") + " + MarkAll("mark_static") +
             LimitFor(list.size());
    };
    std::vector<int64_t> largest = shapes.front();
    for (const std::vector<int64_t>& shape : shapes) {
      for (size_t i = 0; i < shape.size(); ++i) largest[i] = std::max(largest[i], shape[i]);
    }
    const bool is_dynamic = mode_ == "dynamic";
    const bool is_known = mode_.empty() || mode_ == "buckets" || mode_ == "static" || is_dynamic;
    if (!is_known) {
      return MakeError(name_ + ": the mode '" + MakePrintable(mode_) +
                       "' in several dims is no policy");
    }
    if (!way_.empty() && way_ != "bucket" && way_ != "dynamic") return Refused(way_);
    ReplayPlan plan;
    plan.policies.push_back(
        {.words = policy_of(shapes), .is_plan = !is_dynamic, .is_required = true});
    plan.policies.push_back({.words = policy_of({largest})});
    plan.policies.push_back(
        {.words = MarkAll("mark_dynamic"), .is_plan = is_dynamic, .is_required = true});
    return plan;
  }

  /// The sets of sizes, cheapest first; without costs, ordered by elements.
  std::vector<std::vector<int64_t>> Shapes() const {
    const Json* listed = FindMember(json_, "cheapest_first");
    const Json* list = listed != nullptr ? listed : FindMember(json_, "boundaries");
    std::vector<std::vector<int64_t>> shapes;
    if (!list->is_array()) return {};
    for (const Json& entry : *list) {
      std::vector<int64_t> shape;
      if (!entry.is_array()) return {};
      for (const Json& size : entry) {
        if (!size.is_number_integer()) return {};
        shape.push_back(size.get<int64_t>());
      }
      if (shape.size() < 2 || shape.size() > 3 ||
          (!shapes.empty() && shape.size() != shapes.front().size())) {
        return {};
      }
      shapes.push_back(std::move(shape));
    }
    const auto elements = [](const std::vector<int64_t>& shape) {
      double product = 1;
      for (const int64_t size : shape) product *= static_cast<double>(size);
      return product;
    };
    if (listed == nullptr) std::ranges::stable_sort(shapes, {}, elements);
    return shapes;
  }

  /// The policy of the plan.
  Expected<std::string> Planned() const {
    if (mode_ == "mixed") return Mixed();
    if (way_ == "aligned-dynamic") {
      Expected<std::string> way = WayText(way_, kNoSize);
      if (!way) return way.takeError();
      return Serve("1..:" + *way);
    }
    if (!way_.empty() && way_ != "bucket" && way_ != "dynamic") return Refused(way_);
    if (sizes_.empty() || mode_ == "dynamic") return MarkAll("mark_dynamic");
    if (mode_.empty() || mode_ == "buckets" || mode_ == "static") return BucketsOf(sizes_);
    return MakeError(name_ + ": the mode '" + MakePrintable(mode_) +
                     "', which it recommends, is not known");
  }

  /// The policy for ranges of sizes; without a list of ranges, each size goes to the next bucket,
  /// and larger sizes to the dynamic graph.
  Expected<std::string> Mixed() const {
    std::string spans;
    size_t buckets = 0;
    const auto add = [&](int64_t first, int64_t last, const std::string& way) {
      spans += (spans.empty() ? "" : "|") + std::to_string(first) + ".." + std::to_string(last) +
               ":" + way;
    };
    const Json& served = ListMember(json_, "served");
    if (served.empty()) {
      int64_t first = 1;
      for (const int64_t size : sizes_) {
        add(first, size, std::to_string(size));
        first = size + 1;
      }
      buckets = sizes_.size();
    } else {
      if (served.size() > kMostBuckets) return MakeError(name_ + ": more than 4096 stretches");
      for (size_t i = 0; i < served.size(); ++i) {
        const Json& span = served[i];
        const std::optional<int64_t> first = IntMember(span, "first");
        const std::optional<int64_t> last = IntMember(span, "last");
        if (!first || !last) return MakeError(name_ + ": a stretch of sizes has no ends");
        const std::string kind = TextMember(span, "kind");
        Expected<std::string> way = WayText(kind, *last);
        if (!way) return way.takeError();
        // A bucket may be larger than the sizes that it serves: the next stretch begins below it.
        std::optional<int64_t> next;
        if (i + 1 < served.size()) next = IntMember(served[i + 1], "first");
        add(*first, next && *next > *first ? std::min(*last, *next - 1) : *last, *way);
        buckets += kind == "bucket" ? 1 : 0;
      }
    }
    if (spans.empty()) return MakeError(name_ + ": it does not say which sizes are served how");
    return Serve(spans) + LimitFor(buckets);
  }

  /// The way to serve sizes up to `last`, in policy syntax.
  Expected<std::string> WayText(const std::string& kind, int64_t last) const {
    if (kind == "bucket") return std::to_string(last);
    if (kind == "dynamic" || kind == "eager") return kind;
    if (kind == "dynamic-range") return std::string("range");
    if (kind == "aligned-dynamic") {
      const std::optional<int64_t> multiple = IntMember(json_, "alignment");
      if (multiple && *multiple >= 1) return "aligned " + std::to_string(*multiple);
      return MakeError(name_ + ": it does not say what sizes are aligned to");
    }
    return Refused(kind);
  }

  Error Refused(const std::string& kind) const {
    if (kind == "captured") {
      return MakeError(name_ +
                       ": it has sizes for which a dynamic graph is captured as CUDA graphs "
                       "(captured); no policy captures some sizes only, so the plan cannot be run "
                       "as it is; planned without the column 'captured' it can");
    }
    return MakeError(name_ + ": sizes are served by '" + MakePrintable(kind) +
                     "', which no policy does");
  }

  std::string BucketsOf(const std::vector<int64_t>& sizes) const {
    std::string words;
    for (const InputDim& padded : padded_) {
      words += "buckets(" + PlaceOf(padded) + ", " + NumberList(sizes) + FillOf(padded, ", fill=") +
               ") + ";
    }
    return words + MarkAll("mark_static") + LimitFor(sizes.size());
  }

  static std::string LimitFor(size_t graphs) {
    return static_cast<int64_t>(graphs) > kDefaultLimit ? " + limit " + std::to_string(graphs) : "";
  }

  /// The best set of buckets without a mix; empty: none.
  std::vector<int64_t> BucketsAlone() const {
    if (mode_ != "mixed") return sizes_;
    const Json& frontier = ListMember(json_, "frontier");
    const auto chosen = static_cast<uint64_t>(IntMember(json_, "chosen").value_or(-1));
    return chosen < frontier.size() ? IntsMember(frontier[chosen], "boundaries")
                                    : std::vector<int64_t>();
  }

  /// The largest size that is padded to or served.
  int64_t LargestSize() const {
    const Json& served = ListMember(json_, "served");
    if (served.empty()) return sizes_.back();
    return std::max(sizes_.back(), IntMember(served.back(), "last").value_or(0));
  }

  static constexpr int64_t kNoSize = 0;

  const std::string& name_;
  const Json& json_;
  const std::vector<InputFill>& fills_;
  std::string mode_;
  std::string way_;
  std::vector<InputDim> padded_;  // together
  std::vector<int64_t> sizes_;
};

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

Expected<ReplayPlan> ReadBucketPlan(const std::string& name, const Json& json,
                                    const std::vector<std::string>& dims,
                                    const std::vector<InputFill>& fills) {
  return BucketPlanReader(name, json, fills).Read(dims);
}

}  // namespace shapewise
