#include "shapes/assumptions.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "llvm/ADT/STLExtras.h"

namespace shapewise {
namespace {

using Slot = Propagation::Slot;

// Nodes that may be visited for one symbol in the search: about a tenth of a second.
constexpr size_t kNodeBudget = 1'000'000;
constexpr size_t kLeastTrials = 12;
constexpr size_t kMostTrials = 400;
constexpr size_t kMostAssumptions = 4;

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

class Search {
 public:
  Search(Propagation& propagation, ExprId symbol) : propagation_(propagation), symbol_(symbol) {
    const size_t nodes = std::max<size_t>(1, propagation_.graph().nodes.size());
    trials_left_ = std::clamp(kNodeBudget / nodes, kLeastTrials, kMostTrials);
    Collect();
  }

  FoundAssumptions Run(const Outcome& without) {
    const bool is_wrong = without.quality == Quality::kContaminated;
    found_.is_shown_unsafe = is_wrong && (!candidates_.empty() || without.cause.is_shown);
    if (!found_.is_shown_unsafe) found_.doubt = without.cause;
    found_.obstacle = without.cause;
    const bool is_found = FindRight(without) || TryAll();
    if (is_found) return std::move(found_);
    if (trials_left_ == 0) found_.is_shown_unsafe = false;
    return std::move(found_);
  }

 private:
  // Adds one assumption after the other, each time the one that makes the most progress.
  bool FindRight(const Outcome& without) {
    std::vector<size_t> chosen;
    Outcome reached = without;
    while (chosen.size() < kMostAssumptions) {
      // Ties go to the first.
      size_t best = candidates_.size();
      Outcome best_outcome = reached;
      for (size_t i = 0; i < candidates_.size() && trials_left_ > 0; ++i) {
        if (Clashes(chosen, i)) continue;
        std::vector<size_t> tried = chosen;
        tried.push_back(i);
        const Outcome outcome = Try(tried);
        if (outcome.quality == Quality::kRight) {
          found_.right = Minimal(tried);
          return true;
        }
        if (outcome.quality == Quality::kUnknown) continue;
        if (outcome.cause.node > best_outcome.cause.node) {
          best = i;
          best_outcome = outcome;
        }
      }
      if (best == candidates_.size()) return false;
      chosen.push_back(best);
      reached = best_outcome;
      found_.best = Joined(chosen);
      found_.obstacle = reached.cause;
    }
    return false;
  }

  // A graph may need more than that, or several at one node: tries the most likely one of every
  // input together.
  bool TryAll() {
    std::vector<size_t> chosen;
    for (size_t i = 0; i < candidates_.size(); ++i) {
      if (!Clashes(chosen, i)) chosen.push_back(i);
    }
    if (chosen.size() < 2 || trials_left_ == 0) return false;
    if (Try(chosen).quality != Quality::kRight) return false;
    found_.right = Minimal(chosen);
    return true;
  }

  void Collect() {
    const GraphModel& graph = propagation_.graph();
    GraphSet& graphs = propagation_.graphs();
    const double infinity = std::numeric_limits<double>::infinity();
    const bool has_product = HasProduct();
    std::vector<Assumption> tangents;
    std::vector<std::pair<int, Assumption>> ranked;
    for (const Placeholder& placeholder : graph.placeholders) {
      const GraphNode& node = graph.nodes[placeholder.node];
      if (node.num_values == 0) continue;
      const uint32_t value = node.first_value;
      const auto shape = propagation_.ShapeOf(value);
      if (!shape || graph.values[value].type == kNoIndex) continue;
      const std::string_view dtype =
          graphs.strings.text(graphs.types[graph.values[value].type].dtype);
      const std::string_view name = graphs.strings.text(graph.values[value].name);
      const bool carries = std::ranges::any_of(
          *shape, [&](ExprId size) { return propagation_.DependsOnSymbol(size); });
      const bool is_integer = Contains(dtype, "int");
      if (!carries) {
        // A number of elements per row: compared with positions, it becomes a mask.
        const bool may_be_length = placeholder.kind == PlaceholderKind::kInput && is_integer;
        if (may_be_length) {
          ranked.push_back({6, {value, std::nullopt, Fill{Fill::Kind::kAtMost, true, 0}}});
        }
        continue;
      }
      if (placeholder.kind == PlaceholderKind::kParameter) continue;
      if (placeholder.kind == PlaceholderKind::kTangent || name.starts_with("tangents_")) {
        tangents.push_back({value, Fill::Number(0), std::nullopt});
        continue;
      }
      const bool is_mask = Contains(name, "mask") || Contains(name, "bias");
      const bool is_label = Contains(name, "label") || Contains(name, "target");
      const auto add = [&](int rank, double number, uint8_t lines = 0) {
        std::optional<Fill> real;
        if (lines != 0) {
          real = {Fill::Kind::kNonNegative, true, 0};
          real->lines = lines;
        }
        ranked.push_back({rank, {value, Fill::Number(number), real}});
      };
      // A mask of which no row is empty, or of which no row is padded on the left.
      const auto add_kept = [&](int rank) {
        add(rank, 0, Fill::kSomeTrue);
        add(rank, 0, Fill::kSomeTrue | Fill::kFirstTrue);
      };
      if (dtype == "torch.bool") {
        add(0, 0);
        add(0, 1);
        add_kept(0);
      } else if (is_integer) {
        for (const int64_t special : SpecialIntegers()) {
          add(is_label ? 1 : 3, static_cast<double>(special));
        }
        add(is_mask ? 1 : 4, 0);
        add(is_mask ? 1 : 4, 1);
        add_kept(is_mask ? 1 : 4);
        // Positions that are counted on.
        ranked.push_back(
            {5, {value, Fill::Of(Fill::Kind::kIndex), Fill{Fill::Kind::kBelow, true, 0}}});
      } else {
        add(is_mask ? 2 : 7, 0);
        add(is_mask ? 2 : 8, -infinity);
        if (has_product) add(8, 1);
        if (!is_mask) add(9, infinity);
      }
    }
    if (!tangents.empty()) candidates_.push_back(std::move(tangents));
    std::ranges::stable_sort(ranked, {}, [](const auto& entry) { return entry.first; });
    for (const auto& [rank, assumption] : ranked) candidates_.push_back({assumption});
  }

  // Multiplying by 1 does not change a product.
  bool HasProduct() const {
    for (uint32_t i = 0; i < propagation_.graph().nodes.size(); ++i) {
      if (propagation_.NameOf(i).base == "prod") return true;
    }
    return false;
  }

  // Values that losses ignore (-100 by default) or that the graph compares with: ids for padding.
  const std::vector<int64_t>& SpecialIntegers() {
    if (!special_.empty()) return special_;
    special_.push_back(-100);
    const GraphModel& graph = propagation_.graph();
    const StrId keyword = propagation_.graphs().strings.Intern("ignore_index");
    for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
      const GraphNode& node = graph.nodes[i];
      const std::string_view target = propagation_.TargetOf(i);
      const bool is_loss = Contains(target, "nll_loss") || Contains(target, "cross_entropy");
      const std::string_view base = propagation_.NameOf(i).base;
      if (!is_loss && base != "eq" && base != "ne" && base != "not_equal") continue;
      for (uint32_t a = 0; const Argument& argument : graph.ArgumentsOf(node)) {
        const uint32_t at = a++;
        const bool is_meant =
            is_loss ? argument.keyword == keyword || (argument.keyword == StrId::kNone && at >= 4)
                    : at == 1;
        if (argument.kind != Argument::Kind::kInt || !is_meant) continue;
        if (std::ranges::find(special_, argument.integer) == special_.end() &&
            special_.size() < 6) {
          special_.push_back(argument.integer);
        }
      }
    }
    return special_;
  }

  bool Clashes(const std::vector<size_t>& chosen, size_t candidate) const {
    for (const size_t other : chosen) {
      for (const Assumption& a : candidates_[other]) {
        for (const Assumption& b : candidates_[candidate]) {
          if (a.value == b.value) return true;
        }
      }
    }
    return false;
  }

  std::vector<Assumption> Joined(const std::vector<size_t>& chosen) const {
    std::vector<Assumption> assumptions;
    for (const size_t i : chosen) {
      llvm::append_range(assumptions, candidates_[i]);
    }
    return assumptions;
  }

  Outcome Try(const std::vector<size_t>& chosen) {
    if (trials_left_ > 0) --trials_left_;
    propagation_.Run(symbol_, Joined(chosen));
    const Outcome outcome = OutcomeOf(propagation_);
    const bool is_shown = outcome.quality == Quality::kContaminated && outcome.cause.is_shown;
    if (!is_shown && found_.is_shown_unsafe) {
      found_.is_shown_unsafe = false;
      found_.doubtful = Joined(chosen);
      found_.doubt = outcome.cause;
    }
    return outcome;
  }

  // Removes assumptions that are not needed: an early choice may be covered by a later one.
  std::vector<Assumption> Minimal(std::vector<size_t> chosen) {
    for (size_t i = 0; i < chosen.size() && chosen.size() > 1;) {
      std::vector<size_t> fewer = chosen;
      fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(i));
      if (Try(fewer).quality == Quality::kRight) {
        chosen = std::move(fewer);
      } else {
        ++i;
      }
    }
    Try(chosen);
    return Joined(chosen);
  }

  Propagation& propagation_;
  ExprId symbol_;
  std::vector<std::vector<Assumption>> candidates_;  ///< each: some inputs with the same value
  std::vector<int64_t> special_;
  size_t trials_left_ = 0;
  FoundAssumptions found_;
};

}  // namespace

Outcome OutcomeOf(const Propagation& propagation) {
  Outcome outcome;
  const auto worsen = [&](Quality quality, const PaddingCause& cause) {
    const bool is_worse = quality > outcome.quality ||
                          (quality == outcome.quality && cause.node < outcome.cause.node);
    if (quality == Quality::kRight || !is_worse) return;
    outcome.quality = quality;
    outcome.cause = cause;
  };
  const GraphModel& graph = propagation.graph();
  // Sizes that a forward graph saves for its backward graph are those of the padded tensors there.
  const bool is_saved = propagation.ReturnsSavedValues();
  const auto look_at = [&](const Slot& slot, uint32_t node) {
    if (slot.quality != Quality::kRight) {
      worsen(slot.quality, propagation.causes()[slot.cause]);
      return;
    }
    const TensorState state = propagation.StateOf(slot);
    if (state.IsSpoiled()) worsen(Quality::kContaminated, propagation.causes()[slot.cause]);
    for (size_t dim = 0; dim < state.rank && !is_saved; ++dim) {
      for (const Axis& axis : state.Dim(dim).drop_front()) {
        if (!axis.is_padded) continue;
        worsen(Quality::kContaminated, {node, "its dim " + std::to_string(dim) +
                                                  " is folded: padding stands between real rows"});
      }
    }
  };
  for (const uint32_t value : graph.outputs) {
    if (value >= graph.values.size() || !propagation.IsAffected(value)) continue;
    const Slot& slot = propagation.SlotOf(value);
    if (slot.kind == Slot::Kind::kNumber) {
      if (is_saved) continue;
      worsen(Quality::kContaminated,
             {graph.values[value].node, "a number is returned that the padded size changes"});
      continue;
    }
    const uint32_t node = graph.values[value].node;
    if (slot.kind != Slot::Kind::kTuple || slot.quality != Quality::kRight) {
      look_at(slot, node);
      continue;
    }
    for (size_t i = 0; i < slot.count; ++i) look_at(*propagation.ElementOf(value, i), node);
    // Parts of a padded dim are evaluated individually.
    if (slot.count == 0) worsen(Quality::kUnknown, {node, "a list is returned as a whole"});
  }
  return outcome;
}

FoundAssumptions FindAssumptions(Propagation& propagation, ExprId symbol, const Outcome& without) {
  return Search(propagation, symbol).Run(without);
}

std::string AssumptionText(const Propagation& propagation, const Assumption& assumption) {
  const GraphModel& graph = propagation.graph();
  const GraphValue& value = graph.values[assumption.value];
  if (!assumption.padded) return "its numbers must stay those of the real sizes";
  if (assumption.padded->kind == Fill::Kind::kIndex) {
    return "positions that are counted on, below the real size at real positions";
  }
  const GraphSet& graphs = propagation.graphs();
  const bool is_bool =
      value.type != kNoIndex && graphs.strings.text(graphs.types[value.type].dtype) == "torch.bool";
  std::string fill;
  const double number = assumption.padded->number;
  if (is_bool) {
    fill = number != 0 ? "True" : "False";
  } else if (number == -std::numeric_limits<double>::infinity()) {
    fill = "-inf";
  } else if (number == std::numeric_limits<double>::infinity()) {
    fill = "inf";
  } else {
    fill = std::to_string(static_cast<int64_t>(number));
  }
  fill += " at padded positions";
  if (!assumption.real) return fill;
  const bool is_first = (assumption.real->lines & Fill::kFirstTrue) != 0;
  const std::string kept = is_bool ? "True" : "not 0";
  return fill + (is_first ? ", and " + kept + " at the first position of each row"
                          : ", and " + kept + " at a real position of each row");
}

}  // namespace shapewise
