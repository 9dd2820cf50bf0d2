// What slows a PyTorch/XLA run down.

#ifndef SHAPEWISE_CAUSES_XLA_CAUSES_H_
#define SHAPEWISE_CAUSES_XLA_CAUSES_H_

#include <cstddef>
#include <vector>

#include "shapewise/causes/cause.h"

namespace shapewise {

/// The causes of kind kXla, in no particular order: one for each line of user code that makes new
/// graphs or looks at values, one for the compilations as a whole where no line explains them, one
/// for reads, one for operators without code, and one for all that asks for nothing. `order` names
/// all events, process by process and in each as they came; events of other kinds are passed over.
///
/// Totals are judged by how they move, see CountSeries; docs/xla.md tells the rules.
std::vector<Cause> FoldXla(const Session& session, const std::vector<size_t>& order);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_XLA_CAUSES_H_
