// Advice on sizes that should be multiples of a number for efficient kernels.

#ifndef SHAPEWISE_SHAPES_ALIGNMENT_H_
#define SHAPEWISE_SHAPES_ALIGNMENT_H_

#include <vector>

#include "shapes/propagation.h"
#include "shapewise/result/graph_report.h"

namespace shapewise {

/// One piece of advice per symbol and multiple, for the first node that benefits.
std::vector<AlignmentAdvice> AdviseAlignment(Propagation& propagation);

}  // namespace shapewise

#endif  // SHAPEWISE_SHAPES_ALIGNMENT_H_
