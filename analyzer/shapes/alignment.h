// Advice on sizes that kernels want to be multiples of something.

#ifndef SHAPEWISE_SHAPES_ALIGNMENT_H_
#define SHAPEWISE_SHAPES_ALIGNMENT_H_

#include <vector>

#include "shapes/propagation.h"
#include "shapewise/result/graph_report.h"

namespace shapewise {

/// One piece of advice a symbol and multiple: of the first node that asks for it.
std::vector<AlignmentAdvice> AdviseAlignment(Propagation& propagation);

}  // namespace shapewise

#endif  // SHAPEWISE_SHAPES_ALIGNMENT_H_
