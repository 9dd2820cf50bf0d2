// Literals as TorchScript prints them: attributes of nodes, constants in code.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_LITERAL_H_
#define SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_LITERAL_H_

#include <optional>
#include <string>
#include <string_view>

#include "ingest/argument_tree.h"

namespace shapewise {

/// A number, "1", "-0.5", "1.", "1e-05", "inf"; absent for other texts.
std::optional<ArgumentTree> ReadNumber(std::string_view text);

/// What a quoted text means, its quotes and escapes undone.
std::string UnquoteText(std::string_view quoted);

/// A number, a quoted text, True, False, None, or a list "[1, 2]" of them; what is none of these
/// is kept as text.
ArgumentTree ReadLiteral(GraphSet& graphs, std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_LITERAL_H_
