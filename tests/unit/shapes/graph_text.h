// Graphs for tests, written as PyTorch prints them.

#ifndef SHAPEWISE_TESTS_UNIT_SHAPES_GRAPH_TEXT_H_
#define SHAPEWISE_TESTS_UNIT_SHAPES_GRAPH_TEXT_H_

#include <string>
#include <string_view>

#include "result/graph_report.h"

namespace shapewise {

/// `inputs`: the arguments of forward, annotated; `body`: one statement a line; `result`: what is
/// returned.
std::string GraphText(std::string_view inputs, std::string_view body, std::string_view result);

/// The verdict on the first symbol of such a graph, and its reasons, one a line:
/// "unsafe\nmean: mean over dim 1 (s0), which is padded: it divides by the padded size".
std::string PaddingOf(std::string_view inputs, std::string_view body, std::string_view result);

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_UNIT_SHAPES_GRAPH_TEXT_H_
