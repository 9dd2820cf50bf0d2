// Tries all sets of shared graphs to decide which are worth their price; the rest is one pass.

#include "buckets/serving_plan.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "buckets/serving_solver.h"
#include "buckets/stop_arrays.h"

namespace shapewise {
namespace {

/// The fixed cost of a set of modes: its shared graphs, and the graph that captures belong to.
double SharedPrice(const std::vector<ServingMode>& modes, ModeSet set) {
  double price = 0;
  double base = 0;
  bool has_dynamic = false;
  for (size_t i = 0; i < modes.size(); ++i) {
    if ((set >> i) % 2 == 0) continue;
    if (IsSharedKind(modes[i].kind)) price += modes[i].price;
    if (modes[i].kind == ServingKind::kCaptured) base = modes[i].base_price;
    has_dynamic = has_dynamic || modes[i].kind == ServingKind::kDynamic;
  }
  return has_dynamic ? price : price + base;
}

/// The graphs that a set of modes shares, with the one that captures belong to.
size_t SharedGraphs(const std::vector<ServingMode>& modes, ModeSet set) {
  size_t graphs = 0;
  bool has_dynamic = false;
  bool has_captured = false;
  for (size_t i = 0; i < modes.size(); ++i) {
    if ((set >> i) % 2 == 0) continue;
    const ServingKind kind = modes[i].kind;
    if (IsSharedKind(kind) && kind != ServingKind::kEager) ++graphs;
    has_dynamic |= kind == ServingKind::kDynamic;
    has_captured |= kind == ServingKind::kCaptured;
  }
  return graphs + (has_captured && !has_dynamic ? 1 : 0);
}

/// The best solution with at most `most` graphs if `best` has more: raises prices until it has
/// exactly that many, which is then optimal; if prices skip that number, solves layer by layer.
std::optional<ServingSolution> BestOfAtMost(ServingSolver& solver, ServingSolution best,
                                            size_t most) {
  std::optional<ServingSolution> fewer = solver.Best(solver.HighestPrice());
  if (!fewer || fewer->graphs > most) return std::nullopt;
  while (fewer->graphs < most) {
    const double price =
        (fewer->Total() - best.Total()) / static_cast<double>(best.graphs - fewer->graphs);
    std::optional<ServingSolution> between = solver.Best(price);
    if (between->graphs == most) return between;
    if (between->graphs <= fewer->graphs || between->graphs >= best.graphs) break;
    (between->graphs < most ? *fewer : best) = std::move(*between);
  }
  return solver.BestByLayers(most);
}

ServingPlan PlanOf(const std::vector<ServingMode>& modes, const ServingSolution& solution,
                   double shared_price) {
  ServingPlan plan;
  plan.cost = solution.cost;
  plan.prices = solution.prices + shared_price;
  for (const ServedStretch& stretch : solution.stretches) {
    plan.ranges.push_back(
        {.kind = modes[stretch.mode].kind, .first = stretch.from, .last = stretch.to - 1});
  }
  return plan;
}

}  // namespace

ServingPlan BestServingPlan(const SizeLine& line, const std::vector<ServingMode>& modes,
                            std::optional<size_t> max_graphs, std::optional<size_t> max_total) {
  ModeSet chosen = 0;  // modes that must be compiled before a call can use them
  for (size_t i = 0; i < modes.size(); ++i) {
    if (IsSharedKind(modes[i].kind) || modes[i].kind == ServingKind::kCaptured) {
      chosen |= ModeSet{1} << i;
    }
  }
  const ModeSet all = (ModeSet{1} << modes.size()) - 1;
  std::vector<ModeSet> sets;
  for (ModeSet set = 0; set <= all; ++set) {
    if ((set | chosen) == all) sets.push_back(set);
  }
  // Fewest first, so that ties go to fewer shared graphs.
  std::ranges::stable_sort(sets, {}, [](ModeSet set) { return std::popcount(set); });

  ServingSolver solver(line, modes);
  ServingPlan best;
  best.cost = std::numeric_limits<double>::infinity();
  for (const ModeSet set : sets) {
    std::optional<size_t> most = max_graphs;
    if (max_total) {
      const size_t shared = SharedGraphs(modes, set);
      if (shared > *max_total) continue;
      most = std::min(most.value_or(*max_total), *max_total - shared);
    }
    solver.Use(set);
    const double shared_price = SharedPrice(modes, set);
    const auto is_better = [&](const ServingSolution& solution) {
      return solution.Total() + shared_price < best.Total() * (1 - kRounding);
    };
    std::optional<ServingSolution> solution = solver.Best(0);
    if (solution && is_better(*solution) && most && solution->graphs > *most) {
      solution = BestOfAtMost(solver, std::move(*solution), *most);
    }
    if (solution && is_better(*solution)) best = PlanOf(modes, *solution, shared_price);
  }
  return best;
}

}  // namespace shapewise
