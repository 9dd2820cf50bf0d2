#include "model/source_ref.h"

#include <algorithm>
#include <optional>

#include "model/python_text.h"
#include "pyast/lexer.h"
#include "support/enum_name.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

using pyast::Tok;
using pyast::Token;
using Kind = SourceStep::Kind;
using Property = SourceRef::Property;
using Root = SourceRef::Root;

constexpr int32_t kMaxDim = 1000;

// The dicts in which modules and objects store what users write as attributes. Absent: `name` is an
// ordinary attribute.
std::optional<Kind> KindOfMember(std::string_view name) {
  if (name == "_modules") return Kind::kModule;
  if (name == "_parameters" || name == "_buffers") return Kind::kTensor;
  if (name == "__dict__") return Kind::kAttribute;
  return std::nullopt;
}

// Tokenizes an expression.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {
    pyast::Lexer lexer;
    lexer.Reset(text, pyast::Lexer::Mode::kExpression, /*is_printed=*/false);
    for (Token token = lexer.Next(); token.kind != Tok::kEnd; token = lexer.Next()) {
      tokens_.push_back(token);
    }
  }

  size_t size() const { return tokens_.size(); }
  std::string_view text() const { return text_; }
  Tok kind(size_t at) const { return at < tokens_.size() ? tokens_[at].kind : Tok::kEnd; }
  std::string_view text(size_t at) const { return text_.substr(begin(at), end(at) - begin(at)); }
  size_t begin(size_t at) const { return tokens_[at].begin; }
  size_t end(size_t at) const { return tokens_[at].end; }
  /// Whether the first `count` tokens are the whole text, without a trailing comment.
  bool AreAllOfText(size_t count) const {
    return count == tokens_.size() && count > 0 && TrimRight(text_).size() == end(count - 1);
  }
  /// The text of the tokens [first, last).
  std::string_view Between(size_t first, size_t last) const {
    if (first >= last) return {};
    return text_.substr(begin(first), end(last - 1) - begin(first));
  }

  /// The string in "['name']" at `at`; absent: something else.
  std::optional<std::string_view> KeyAt(size_t at) const {
    if (kind(at) != Tok::kOpenBracket || kind(at + 1) != Tok::kString ||
        kind(at + 2) != Tok::kCloseBracket) {
      return std::nullopt;
    }
    const std::string_view quoted = text(at + 1);
    const bool is_plain = (quoted.front() == '\'' || quoted.front() == '"') &&
                          (quoted.size() < 3 || quoted[1] != quoted[0]);
    if (!is_plain) return std::nullopt;
    return quoted.substr(1, quoted.size() - 2);
  }

  /// The position after the bracket that closes the one at `at`; absent: unclosed.
  std::optional<size_t> EndOfBracket(size_t at) const {
    size_t depth = 0;
    for (; at < tokens_.size(); ++at) {
      const Tok tok = kind(at);
      if (tok == Tok::kOpenParen || tok == Tok::kOpenBracket || tok == Tok::kOpenBrace) ++depth;
      const bool closes =
          tok == Tok::kCloseParen || tok == Tok::kCloseBracket || tok == Tok::kCloseBrace;
      if (closes && --depth == 0) return at + 1;
    }
    return std::nullopt;
  }

  /// The position after the dotted name at `at`.
  size_t EndOfName(size_t at) const {
    if (kind(at) != Tok::kName) return at;
    ++at;
    while (kind(at) == Tok::kDot && kind(at + 1) == Tok::kName) at += 2;
    return at;
  }

 private:
  std::string_view text_;
  llvm::SmallVector<Token, 32> tokens_;
};

// The first variable of a source.
struct RootVariable {
  std::string_view name;
  bool is_global = false;
  bool is_wrapped = false;  // L['name'] or G['name']
  size_t end = 0;           // position after it
};

/// The variable at `at`; absent: a function, or not a name.
std::optional<RootVariable> VariableAt(const Tokens& tokens, size_t at) {
  if (tokens.kind(at) != Tok::kName) return std::nullopt;
  const std::string_view name = tokens.text(at);
  if (name == "L" || name == "G") {
    if (const auto key = tokens.KeyAt(at + 1)) return RootVariable{*key, name == "G", true, at + 4};
  }
  const size_t end_of_part = tokens.EndOfName(at);
  const bool is_function =
      tokens.kind(end_of_part) == Tok::kOpenParen &&
      (end_of_part == at + 1 || tokens.kind(end_of_part + 1) != Tok::kCloseParen);
  if (is_function) return std::nullopt;
  return RootVariable{name, false, false, at + 1};
}

bool IsTemporary(std::string_view name) {
  return name.starts_with("___") || name == "SYNTHETIC_LOCAL" || !IsIdentifier(name);
}

// Parses one source.
class SourceReader {
 public:
  explicit SourceReader(const Tokens& tokens) : tokens_(tokens) {}

  /// The source at `at`, which is moved past it; kNone: none.
  SourceRef Read(size_t& at) {
    const size_t begin = at;
    SourceRef source;
    size_t end = begin;
    if (const auto variable = VariableAt(tokens_, at)) {
      source.root = RootOf(*variable);
      source.name = variable->name;
      end = variable->end;
    } else if (!ReadCall(begin, source, end)) {
      return source;
    }
    ReadPath(source, end);
    if (source.object.empty()) source.object = tokens_.Between(begin, end);
    ReadLayout(begin, end, source);
    at = end;
    return source;
  }

 private:
  static Root RootOf(const RootVariable& variable) {
    if (IsTemporary(variable.name)) return Root::kTemporary;
    if (variable.is_global) return Root::kGlobal;
    return variable.name == "self" ? Root::kSelf : Root::kArgument;
  }

  /// Parses `len(x)`, `type(x)`, `list(dict.keys(x))` and its items, or a call of another function.
  bool ReadCall(size_t begin, SourceRef& source, size_t& end) {
    const size_t open = tokens_.EndOfName(begin);
    if (open == begin || tokens_.kind(open) != Tok::kOpenParen) return false;
    const std::string_view function = tokens_.Between(begin, open);
    const auto end_of_part = tokens_.EndOfBracket(open);
    if (!end_of_part || (!SpellsSource(function) && function != "len")) return false;
    end = *end_of_part;
    source.root = Root::kCall;
    source.name = function;
    size_t inner = open + 1;
    Property property = Property::kValue;
    size_t closing = 1;
    if (function == "len" || function == "type") {
      property = function == "len" ? Property::kLength : Property::kType;
    } else if (function == "list" && tokens_.Between(inner, inner + 4) == "dict.keys(") {
      property = Property::kKeys;
      inner += 4;
      closing = 2;
    } else {
      return true;
    }
    // Only one level: a property has no properties.
    if (is_inner_ || inner >= end) return true;
    is_inner_ = true;
    size_t at = inner;
    SourceRef object = Read(at);
    is_inner_ = false;
    if (object.root == Root::kNone || at + closing != end || object.property != Property::kValue) {
      return true;
    }
    size_t after_key = end;
    object.property = property;
    if (property == Property::kKeys) ReadKeyIndex(object, after_key);
    const Tok next = tokens_.kind(after_key);
    is_complete_ = next != Tok::kDot && next != Tok::kOpenBracket && next != Tok::kOpenParen;
    if (!is_complete_) return true;
    source = std::move(object);
    end = after_key;
    return true;
  }

  void ReadKeyIndex(SourceRef& source, size_t& end) {
    if (tokens_.kind(end) != Tok::kOpenBracket || tokens_.kind(end + 1) != Tok::kNumber ||
        tokens_.kind(end + 2) != Tok::kCloseBracket) {
      return;
    }
    const auto index = DimOf(tokens_.text(end + 1));
    if (!index) return;
    source.property = Property::kKey;
    source.dim = *index;
    end += 3;
  }

  static std::optional<int32_t> DimOf(std::string_view digits) {
    const auto dim = ConsumeUint<int32_t>(digits);
    return dim && digits.empty() && *dim <= kMaxDim ? dim : std::nullopt;
  }

  void ReadPath(SourceRef& source, size_t& end) {
    if (is_complete_) return;
    while (ReadStep(source, end)) {
    }
  }

  bool ReadStep(SourceRef& source, size_t& end) {
    const Tok kind = tokens_.kind(end);
    if (kind == Tok::kDot && tokens_.kind(end + 1) == Tok::kName) {
      const std::string_view name = tokens_.text(end + 1);
      const auto member = KindOfMember(name);
      const auto key = member ? tokens_.KeyAt(end + 2) : std::nullopt;
      source.path.push_back(key ? SourceStep{*member, *key} : SourceStep{Kind::kAttribute, name});
      end += key ? 5 : 2;
      return true;
    }
    if (kind == Tok::kOpenParen && tokens_.kind(end + 1) == Tok::kCloseParen) {
      source.path.push_back({Kind::kCall, {}});
      end += 2;
      return true;
    }
    if (kind != Tok::kOpenBracket) return false;
    if (const auto key = tokens_.KeyAt(end)) {
      source.path.push_back({Kind::kKey, *key});
      end += 3;
      return true;
    }
    const auto end_of_part = tokens_.EndOfBracket(end);
    if (!end_of_part) return false;
    const std::string_view index = tokens_.Between(end + 1, *end_of_part - 1);
    source.path.push_back({IsInteger(index) ? Kind::kIndex : Kind::kOther, index});
    end = *end_of_part;
    return true;
  }

  /// Moves the property at the end of the path to the property fields.
  void ReadLayout(size_t begin, size_t end, SourceRef& source) const {
    if (source.property != Property::kValue) return;
    auto& path = source.path;
    const auto ends_with_call = [&](size_t skip, std::string_view name) {
      const size_t size = path.size();
      return size >= skip + 2 && path[size - skip - 1].kind == Kind::kCall &&
             path[size - skip - 2].kind == Kind::kAttribute && path[size - skip - 2].name == name;
    };
    const auto take = [&](Property property, size_t steps, size_t num_tokens) {
      source.property = property;
      path.truncate(path.size() - steps);
      source.object = tokens_.Between(begin, end - num_tokens);
    };
    if (ends_with_call(0, "storage_offset")) return take(Property::kStorageOffset, 2, 4);
    if (ends_with_call(0, "dim") || ends_with_call(0, "ndimension")) {
      return take(Property::kNumDims, 2, 4);
    }
    if (path.empty()) return;
    // Guards of equal layers are counted with numbers replaced by '*': x.size()[*].
    const bool is_star = path.back().kind == Kind::kOther && path.back().name == "*";
    const auto dim = is_star ? -1 : DimOf(path.back().name);
    const bool is_size = ends_with_call(1, "size");
    if (!dim || (!is_size && !ends_with_call(1, "stride"))) return;
    source.dim = *dim;
    take(is_size ? Property::kSize : Property::kStride, 3, 7);
  }

  const Tokens& tokens_;
  bool is_inner_ = false;
  bool is_complete_ = false;  // a property around an object, which has no further path
};

// Dynamo names the global for a module's import after the module: __import_torch_dot_nn.
std::string NameOfGlobal(std::string_view key) {
  if (!ConsumeFront(key, "__import_")) return std::string(key);
  constexpr std::string_view kDot = "_dot_";
  std::string name;
  while (!key.empty()) {
    const bool is_dot = ConsumeFront(key, kDot);
    name.push_back(is_dot ? '.' : key.front());
    if (!is_dot) key.remove_prefix(1);
  }
  return name;
}

// Respells the sources in an expression.
class Speller {
 public:
  Speller(const Tokens& tokens, SourceSpelling spelling) : tokens_(tokens), spelling_(spelling) {}

  std::string Spell() {
    while (at_ < tokens_.size()) {
      const Tok before = at_ == 0 ? Tok::kEnd : tokens_.kind(at_ - 1);
      const bool is_spelled = tokens_.kind(at_) == Tok::kDot
                                  ? SpellAttribute()
                                  : before != Tok::kDot && SpellVariable();
      if (!is_spelled && !SpellKey()) Put(tokens_.text(at_), 1);
    }
    out_ += tokens_.text().substr(copied_);
    return std::move(out_);
  }

 private:
  bool IsUsers() const {
    return spelling_ == SourceSpelling::kName || spelling_ == SourceSpelling::kPython;
  }

  /// Writes `text` in place of the next `num_tokens` tokens.
  void Put(std::string_view text, size_t num_tokens) {
    out_ += tokens_.text().substr(copied_, tokens_.begin(at_) - copied_);
    out_ += text;
    at_ += num_tokens;
    copied_ = tokens_.end(at_ - 1);
  }

  bool SpellVariable() {
    const auto variable = VariableAt(tokens_, at_);
    if (!variable || !IsIdentifier(variable->name)) return false;
    const size_t size = variable->end - at_;
    if (!variable->is_wrapped) {
      const bool is_left = spelling_ != SourceSpelling::kDynamo ||
                           variable->name == "SYNTHETIC_LOCAL" || variable->name == "L" ||
                           variable->name == "G";
      if (is_left) return false;
      Put("L['" + std::string(variable->name) + "']", size);
    } else if (variable->is_global) {
      if (spelling_ != SourceSpelling::kPython) return false;
      Put(NameOfGlobal(variable->name), size);
    } else {
      if (spelling_ == SourceSpelling::kDynamo) return false;
      Put(variable->name, size);
    }
    return true;
  }

  bool SpellAttribute() {
    if (tokens_.kind(at_ + 1) != Tok::kName) return false;
    const std::string_view name = tokens_.text(at_ + 1);
    if (spelling_ == SourceSpelling::kReason && name == "shape" &&
        tokens_.kind(at_ + 2) == Tok::kOpenBracket) {
      Put(".size()", 2);
      return true;
    }
    const auto key = IsUsers() && KindOfMember(name) ? tokens_.KeyAt(at_ + 2) : std::nullopt;
    if (!key || at_ == 0) return false;
    if (IsIdentifier(*key)) {
      Put("." + std::string(*key), 5);
    } else if (IsInteger(*key)) {
      // Containers of modules use numbers as names of children: Sequential, ModuleList,
      // ParameterList.
      Put("[" + std::string(*key) + "]", 5);
    } else {
      return false;
    }
    return true;
  }

  /// Writes ["key"] as ['key'].
  bool SpellKey() {
    const auto key = tokens_.KeyAt(at_);
    if (!key || tokens_.text(at_ + 1).front() == '\'' || HasText(*key, "'")) return false;
    Put("['" + std::string(*key) + "']", 3);
    return true;
  }

  const Tokens& tokens_;
  SourceSpelling spelling_;
  size_t at_ = 0;      // the next token
  size_t copied_ = 0;  // position in the text
  std::string out_;
};

}  // namespace

bool SourceRef::HasMembers() const {
  return std::ranges::any_of(path, [](SourceStep step) {
    return step.kind == Kind::kModule || step.kind == Kind::kTensor;
  });
}

bool SourceRef::IsDefault() const {
  return std::ranges::any_of(path, [](SourceStep step) {
    return step.name == "__defaults__" || step.name == "__kwdefaults__";
  });
}

std::string_view SourceRef::LastName() const {
  for (size_t i = path.size(); i-- > 0;) {
    if (path[i].kind != Kind::kOther && IsIdentifier(path[i].name)) return path[i].name;
  }
  return root == Root::kCall ? std::string_view() : name;
}

std::string_view SourceRootName(Root root) {
  return EnumName<Root::kCall>(root, {"", "argument", "self", "global", "temporary", "call"});
}

SourceRef ParseSource(std::string_view text) {
  const Tokens tokens(text);
  size_t end = 0;
  SourceRef source = SourceReader(tokens).Read(end);
  if (source.root != Root::kNone && tokens.AreAllOfText(end)) return source;
  SourceRef none;
  none.object = text;
  return none;
}

std::vector<SourceRef> FindSources(std::string_view text, size_t limit) {
  const Tokens tokens(text);
  std::vector<SourceRef> sources;
  for (size_t at = 0; at < tokens.size() && sources.size() < limit;) {
    const bool is_attribute = at > 0 && tokens.kind(at - 1) == Tok::kDot;
    SourceRef source = is_attribute ? SourceRef() : SourceReader(tokens).Read(at);
    if (source.root == Root::kNone) {
      ++at;
    } else {
      sources.push_back(std::move(source));
    }
  }
  return sources;
}

std::string SpellSources(std::string_view text, SourceSpelling spelling) {
  const Tokens tokens(text);
  return Speller(tokens, spelling).Spell();
}

std::string PropertyText(std::string_view object, Property property, size_t dim) {
  const std::string_view method = property == Property::kStride ? ".stride()[" : ".size()[";
  return std::string(object).append(method).append(std::to_string(dim)).append("]");
}

bool IsWritable(const SourceRef& source) {
  const bool is_named =
      source.root == Root::kArgument || source.root == Root::kSelf || source.root == Root::kGlobal;
  if (!is_named || source.property != Property::kValue) return false;
  const bool is_bound = !source.path.empty() && source.path.back().kind == Kind::kAttribute &&
                        IsOneOf(source.path.back().name, {"start", "stop", "step"});
  return !is_bound && std::ranges::all_of(source.path, [](SourceStep step) {
    switch (step.kind) {
      case Kind::kAttribute:
        return !step.name.starts_with("__");
      case Kind::kModule:
      case Kind::kTensor:
        return IsIdentifier(step.name) || IsInteger(step.name);
      case Kind::kKey:
        return IsQuotable(step.name) && !HasText(step.name, "'");
      case Kind::kIndex:
        return true;
      default:
        return false;
    }
  });
}

bool IsCallersArgument(const SourceRef& source) {
  return source.root == Root::kArgument && !source.HasMembers() && IsWritable(source);
}

}  // namespace shapewise
