// What slows down a PyTorch/XLA run.

#ifndef SHAPEWISE_CAUSES_XLA_CAUSES_H_
#define SHAPEWISE_CAUSES_XLA_CAUSES_H_

#include <cstddef>
#include <vector>

#include "causes/cause.h"

namespace shapewise {

/// The causes of kind kXla, in no particular order: one for each line of user code that makes new
/// graphs or looks at values, one for the compilations as a whole if no line explains them, one for
/// reads, one for operators without an XLA lowering, and one for everything that needs no action.
/// `order` lists all events, process by process, each in order of appearance; events of other kinds
/// are skipped.
///
/// Totals are judged by how they change, see CountSeries; docs/xla.md lists the rules.
std::vector<Cause> FoldXla(const Session& session, const std::vector<size_t>& order);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_XLA_CAUSES_H_
