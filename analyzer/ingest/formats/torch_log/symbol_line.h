// Lines of TORCH_LOGS=dynamic: symbols that are created, guards that are added, values they get.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCH_LOG_SYMBOL_LINE_H_
#define SHAPEWISE_INGEST_FORMATS_TORCH_LOG_SYMBOL_LINE_H_

#include <string_view>

#include "shapewise/model/compilation.h"
#include "shapewise/support/string_pool.h"

namespace shapewise {

/// Whether `text`, without its prefix, may be such a line.
bool IsSymbolLine(std::string_view text);

/// Takes one of these apart; false if it is none:
///
///   create_symbol s77 = 5 for L['x'].size()[0] [2, int_oo] return x + 1  # m.py:6 in f (...
///   create_unbacked_symint u0 [-int_oo, int_oo] n = x.item()  # m.py:9 in f (...
///   eval Eq(s77, 6) [guard added] if x.shape[0] == 6:  # m.py:10 in f (...
///   set_replacement s77 = 6 (range_refined_to_singleton) VR[6, 6]
///
/// A replacement by anything but a number repeats a guard that was added, and is none of them.
///
/// Source: torch/fx/experimental/symbolic_shapes.py, 2.2 to 2.13.
bool ParseSymbolLine(std::string_view text, StringPool& strings, SymbolFact& fact);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCH_LOG_SYMBOL_LINE_H_
