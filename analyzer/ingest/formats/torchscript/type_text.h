// Types and literals as TorchScript prints them, in its IR and in its code.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_TYPE_TEXT_H_
#define SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_TYPE_TEXT_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ingest/argument_tree.h"
#include "shapewise/model/graph_model.h"

namespace shapewise {

/// "torch.float32" for "Float", as c10 names it; empty for other names.
std::string_view DtypeOfScalarType(std::string_view name);

/// Index of the type that is printed as `text`: "Float(2, *, strides=[3, 1], requires_grad=0,
/// device=cpu)", "Tensor", "int", "Dict(str, Tensor)", "__torch__.Net". A size that is not known
/// ("*") has no expression; one with a name ("SS(-2)") is a symbol. Older releases print sizes and
/// strides in one: "Float(2:3, 3:1)". Source: c10's operator<<(ostream&, const Type&).
uint32_t InternTypeText(GraphSet& graphs, std::string_view text);

/// A number, "1", "-0.5", "1.", "1e-05", "inf"; absent for other texts.
std::optional<ArgumentTree> ReadNumber(std::string_view text);

/// A number, a quoted text, True, False, None, or a list "[1, 2]" of them; what is none of these
/// is kept as text.
ArgumentTree ReadLiteral(GraphSet& graphs, std::string_view text);

/// The parts of `text` between those of its separators that stand outside of brackets and quotes,
/// trimmed. An empty text has none.
std::vector<std::string_view> SplitOutside(std::string_view text, char separator);

/// Offset of `needle` in `text` outside of brackets and quotes, at or after `from`; npos if it is
/// not there.
size_t FindOutside(std::string_view text, std::string_view needle, size_t from = 0);

/// Whether a text that comes in pieces ends within brackets or quotes.
class BracketCounter {
 public:
  /// Takes the next piece; a comment (" # " outside of brackets) and what follows does not count.
  void Add(std::string_view piece);

  bool is_open() const { return depth_ != 0 || quote_ != '\0'; }

 private:
  size_t depth_ = 0;
  char quote_ = '\0';
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_TYPE_TEXT_H_
