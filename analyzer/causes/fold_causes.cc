// Puts the causes of all kinds together, in an order that only their meaning decides.

#include <algorithm>
#include <iterator>
#include <numeric>
#include <tuple>

#include "causes/recompile_chains.h"
#include "causes/site_causes.h"
#include "shapewise/causes/cause.h"

namespace shapewise {
namespace {

// All events, rank by rank. How the lines of several ranks mixed in one input is chance and must
// not show; the lines of one rank stay in order.
std::vector<size_t> ProcessOrder(const Session& session) {
  std::vector<size_t> order(session.events().size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&session](size_t a, size_t b) {
    const int32_t rank_a = session.events()[a].rank;
    const int32_t rank_b = session.events()[b].rank;
    return std::tie(rank_a, a) < std::tie(rank_b, b);
  });
  return order;
}

auto InOrder(const Place& place) { return std::tie(place.file, place.line, place.function); }

bool ComesBefore(const Cause& a, const Cause& b) {
  if (a.kind != b.kind) return a.kind < b.kind;
  if (a.where != b.where) return InOrder(a.where) < InOrder(b.where);
  if (a.culprit != b.culprit) {
    if (!a.culprit || !b.culprit) return !a.culprit;
    return std::tie(a.culprit->source, a.culprit->dim, a.culprit->guard_class) <
           std::tie(b.culprit->source, b.culprit->dim, b.culprit->guard_class);
  }
  if (a.user != b.user) return InOrder(a.user) < InOrder(b.user);
  return std::tie(a.action, a.why, a.hint, a.type, a.gb, a.message, a.display_function, a.events) <
         std::tie(b.action, b.why, b.hint, b.type, b.gb, b.message, b.display_function, b.events);
}

}  // namespace

std::vector<Cause> FoldCauses(const Session& session) {
  const std::vector<size_t> order = ProcessOrder(session);
  std::vector<Cause> causes = FoldRecompiles(session, order);
  std::vector<Cause> sites = FoldSites(session, order);
  std::move(sites.begin(), sites.end(), std::back_inserter(causes));
  std::sort(causes.begin(), causes.end(),
            [](const Cause& a, const Cause& b) { return ComesBefore(a, b); });
  return causes;
}

}  // namespace shapewise
