// Bases of classes and facts derived from them.

#include <algorithm>
#include <string>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"
#include "source/outside_table.h"
#include "source/project_state.h"
#include "source/word_list.h"
#include "support/text_scan.h"
#include "syntax/python_walk.h"

namespace shapewise {
namespace {

// More bases than any real program has; further ones are ignored.
constexpr size_t kMaxBases = 256;

/// Bases outside of the project that do not show that a class is a module: helpers of the standard
/// library, and unrelated classes called `Model` or `Module` or with a `forward`.
bool IsOtherBase(std::string_view dotted) {
  return HasBeginning<
             "builtins. typing. typing_extensions. abc. enum. collections. dataclasses. pydantic. "
             "django. sqlalchemy. sqlmodel. tensorflow. tf. keras. tf_keras. flax. haiku. equinox. "
             "jax. mlx. paddle. mindspore. torch.autograd. torch.utils.data. torch.optim. "
             "torch.distributions. ast. unittest. argparse. logging. threading. _pytest.">(
             dotted) ||
         HasEnding<"DataModule Mixin Error Config Tokenizer Dataset">(LastName(dotted));
}

/// Whether objects of a class with this base are modules, judged by the name of the base.
bool IsModuleBase(std::string_view dotted) {
  if (IsOtherBase(dotted)) return false;
  if (dotted.starts_with("torch.nn.")) {
    const OutsideRow row = FindOutside(dotted);
    if (row.group != nullptr)
      return row.group->gives != Gives::kTensor && row.group->gives != Gives::kParameter;
  }
  return HasEnding<"Module Model Layer Block">(LastName(dotted));
}

void SkipBlanks(std::string_view& text) { text = TrimLeft(text); }

std::string_view TakeIdentifier(std::string_view& text) {
  size_t size = 0;
  while (size < text.size() && IsWordChar(text[size])) ++size;
  const std::string_view word = text.substr(0, size);
  text.remove_prefix(size);
  return word;
}

/// Skips decorators of one line each; false: one is longer.
bool SkipDecorators(std::string_view& text) {
  for (SkipBlanks(text); text.starts_with('@'); SkipBlanks(text)) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return false;
    const std::string_view line = text.substr(0, end);
    if (line.find_first_of("\"'#\\[]{}") != std::string_view::npos ||
        std::count(line.begin(), line.end(), '(') != std::count(line.begin(), line.end(), ')')) {
      return false;
    }
    text.remove_prefix(end + 1);
  }
  return true;
}

/// The dotted name at the start of `text`; empty if not found.
std::string_view TakeDotted(std::string_view& text) {
  const std::string_view begin = text;
  for (;;) {
    const std::string_view word = TakeIdentifier(text);
    if (word.empty() || (word.front() >= '0' && word.front() <= '9')) return {};
    if (!text.starts_with('.')) return begin.substr(0, begin.size() - text.size());
    text.remove_prefix(1);
  }
}

/// Reads the dotted names of the bases of the class at the start of `text`, including decorators,
/// without parsing it. Nearly all classes are this simple; false: this one is not and must be
/// parsed.
bool ReadPlainBases(std::string_view text, llvm::SmallVectorImpl<std::string_view>& bases) {
  if (!SkipDecorators(text) || TakeIdentifier(text) != "class") return false;
  SkipBlanks(text);
  if (TakeIdentifier(text).empty()) return false;
  SkipBlanks(text);
  if (text.starts_with(':')) return true;
  if (!text.starts_with('(')) return false;
  text.remove_prefix(1);
  for (;;) {
    SkipBlanks(text);
    if (text.starts_with(')')) break;
    const std::string_view base = TakeDotted(text);
    if (base.empty()) return false;
    bases.push_back(base);
    SkipBlanks(text);
    if (text.starts_with(')')) break;
    if (!text.starts_with(',')) return false;
    text.remove_prefix(1);
  }
  text.remove_prefix(1);
  SkipBlanks(text);
  return text.starts_with(':');
}

/// C3: takes the first class that is in the tail of no list; false if every class is in one.
bool MergeOrders(std::vector<llvm::ArrayRef<ClassId>> lists, std::vector<ClassId>& order) {
  // Number of lists in which a class is not the first.
  llvm::DenseMap<ClassId, size_t> num_not_first;
  for (const llvm::ArrayRef<ClassId> list : lists) {
    for (const ClassId id : list.drop_front(list.empty() ? 0 : 1)) ++num_not_first[id];
  }
  for (;;) {
    llvm::erase_if(lists, [](llvm::ArrayRef<ClassId> list) { return list.empty(); });
    if (lists.empty()) return true;
    const auto next = llvm::find_if(lists, [&](llvm::ArrayRef<ClassId> list) {
      return num_not_first.lookup(list.front()) == 0;
    });
    if (next == lists.end()) return false;
    const ClassId id = next->front();
    order.push_back(id);
    for (auto& list : lists) {
      if (list.front() != id) continue;
      list = list.drop_front();
      if (!list.empty()) --num_not_first[list.front()];
    }
  }
}

/// Follows the bases of one class, without recursion: a chain of bases may be long.
class BasesReader {
 public:
  explicit BasesReader(Project::State& state) : state_(state) {}

  const ClassBases& Read(ClassId id) {
    if (const ClassBases* known = Known(id)) return *known;
    const auto open = [&](ClassId one) {
      open_.push_back({.id = one});
      open_ids_.insert(one);
      ReadDirect(one, open_.back().bases);
    };
    open(id);
    const ClassBases* last = nullptr;
    while (!open_.empty()) {
      Frame& frame = open_.back();
      if (frame.next < frame.bases.direct.size()) {
        const ClassId base = frame.bases.direct[frame.next];
        if (Known(base) != nullptr) {
          ++frame.next;
        } else if (open_ids_.contains(base)) {
          const auto first = llvm::find_if(open_, [&](const Frame& one) { return one.id == base; });
          for (auto within = first; within != open_.end(); ++within) {
            within->bases.is_in_cycle = true;
          }
          frame.bases.direct.erase(frame.bases.direct.begin() +
                                   static_cast<std::ptrdiff_t>(frame.next));
        } else {
          open(base);
        }
        continue;
      }
      Finish(frame);
      ClassState& memory = state_.class_states[frame.id];
      const std::lock_guard lock(state_.bases_mutex);
      last = memory.bases.load(std::memory_order_acquire);
      if (last == nullptr) {
        last = &state_.stored_bases.emplace_back(std::move(frame.bases));
        memory.bases.store(last, std::memory_order_release);
      }
      open_ids_.erase(frame.id);
      open_.pop_back();
    }
    return *last;
  }

 private:
  /// A class whose bases are being read.
  struct Frame {
    ClassId id = kNoId;
    ClassBases bases{};
    size_t next = 0;  // of bases.direct
  };

  void ReadDirect(ClassId id, ClassBases& bases) {
    const SourceFile& file = state_.files[state_.classes[id].file];
    const OutlinedClass& outlined = file.outline.classes[id - file.first_class];
    llvm::SmallVector<std::string_view, 4> plain;
    if (ReadPlainBases(outlined.span.Of(file.text), plain)) {
      for (const std::string_view base : plain) AddBase(id, base, bases);
      return;
    }
    const Stmt* tree = state_.ClassTree(id);
    if (tree == nullptr) return;
    for (const CallArgument& argument : tree->arguments) {
      if (!argument.keyword.empty() || argument.stars != 0) continue;
      const Expr* expr = argument.value;
      // Generic[T] is Generic.
      if (expr->kind == PythonExprKind::kSubscript) expr = expr->left;
      if (const std::string dotted = DottedName(*expr); !dotted.empty()) AddBase(id, dotted, bases);
    }
  }

  void AddBase(ClassId id, std::string_view dotted, ClassBases& bases) {
    if (bases.direct.size() + bases.outside.size() >= kMaxBases) return;
    const Binding binding = Resolver(state_).ResolveDotted(state_.classes[id].file, dotted);
    if (binding.kind == Binding::Kind::kClass) {
      if (binding.id != id && !llvm::is_contained(bases.direct, binding.id)) {
        bases.direct.push_back(binding.id);
      }
    } else if (binding.kind == Binding::Kind::kOutside) {
      bases.outside.push_back(binding.name);
    } else {
      // Its origin is unknown, but its name is still useful.
      bases.outside.push_back(state_.strings.Intern(dotted));
    }
  }

  /// The known bases of a base; null: not known yet.
  const ClassBases* Known(ClassId id) const {
    return state_.class_states[id].bases.load(std::memory_order_acquire);
  }

  void Finish(Frame& frame) {
    ClassBases& bases = frame.bases;
    std::vector<const ClassBases*> parents;
    // Python rejects such a class. The result must not depend on where reading started.
    bases.is_in_cycle |=
        llvm::any_of(bases.direct, [&](ClassId base) { return Known(base)->is_in_cycle; });
    llvm::erase_if(bases.direct, [&](ClassId base) {
      return Known(base)->is_in_cycle || Known(base)->order.size() > kMaxBases;
    });
    for (const ClassId base : bases.direct) parents.push_back(Known(base));
    bases.order.push_back(frame.id);
    std::vector<llvm::ArrayRef<ClassId>> lists;
    for (const ClassBases* parent : parents) lists.emplace_back(parent->order);
    lists.emplace_back(bases.direct);
    if (!MergeOrders(std::move(lists), bases.order)) {
      bases.order.assign(1, frame.id);
      for (const ClassBases* parent : parents) {
        for (const ClassId other : parent->order) {
          if (!llvm::is_contained(bases.order, other)) bases.order.push_back(other);
        }
      }
    }
    for (const ClassBases* parent : parents) {
      for (const std::string_view name : parent->outside) {
        if (!llvm::is_contained(bases.outside, name)) bases.outside.push_back(name);
      }
    }
    bases.is_module = llvm::any_of(bases.outside, IsModuleBase);
    if (!bases.is_module && !llvm::all_of(bases.outside, IsOtherBase)) {
      bases.is_module = state_.FirstMethod(bases.order, "forward") != kNoId;
    }
  }

  Project::State& state_;
  std::vector<Frame> open_;
  llvm::DenseSet<ClassId> open_ids_;
};

/// Whether the method at `text` is a setter of a property or a signature of an overload: not what
/// runs when the name is read.
bool IsSecondary(std::string_view text, std::string_view name) {
  for (;;) {
    const size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos || text[begin] != '@') return false;
    text.remove_prefix(begin + 1);
    const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
    if (line.starts_with("overload") || line.starts_with("typing.overload")) return true;
    if (line.starts_with(name)) {
      const std::string_view rest = line.substr(name.size());
      if (rest.starts_with(".setter") || rest.starts_with(".deleter")) return true;
    }
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return false;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

FunctionId Project::State::FirstMethod(llvm::ArrayRef<ClassId> ids, std::string_view name) {
  const auto hash_of = [](std::string_view text) {
    return static_cast<uint32_t>(llvm::xxHash64(llvm::StringRef(text)));
  };
  const uint32_t hash = hash_of(name);
  for (const ClassId id : ids) {
    ClassState& memory = class_states[id];
    auto& methods = memory.own_methods;
    if (classes[id].methods.empty()) continue;
    std::call_once(memory.own_methods_read, [&] {
      const std::string_view text = files[classes[id].file].text;
      llvm::SmallVector<FunctionId, 32> own(classes[id].methods.begin(), classes[id].methods.end());
      const auto name_of = [&](FunctionId method) { return functions[method].name; };
      llvm::stable_sort(own, [&](FunctionId a, FunctionId b) { return name_of(a) < name_of(b); });
      methods.reserve(own.size());
      for (size_t i = 0; i < own.size(); ++i) {
        // The last of several with one name counts, except for setters and the like.
        if (i == 0 || name_of(own[i - 1]) != name_of(own[i])) {
          methods.emplace_back(hash_of(name_of(own[i])), own[i]);
        } else if (!IsSecondary(text.substr(functions[own[i]].begin), name_of(own[i]))) {
          methods.back().second = own[i];
        }
      }
      llvm::sort(methods);
    });
    for (auto found = llvm::lower_bound(methods, std::pair(hash, FunctionId{0}));
         found != methods.end() && found->first == hash; ++found) {
      if (functions[found->second].name == name) return found->second;
    }
  }
  return kNoId;
}

ClassId Project::State::NestedClass(ClassId id, std::string_view name) const {
  const SourceFile& file = files[classes[id].file];
  const auto index = static_cast<int32_t>(id - file.first_class);
  for (size_t i = index + 1; i < file.outline.classes.size(); ++i) {
    const OutlinedClass& outlined = file.outline.classes[i];
    if (outlined.span.begin >= file.outline.classes[index].span.end) break;
    if (outlined.in_class == index && outlined.name == name) {
      return file.first_class + static_cast<ClassId>(i);
    }
  }
  return kNoId;
}

const ClassBases& Project::State::Bases(ClassId id) { return BasesReader(*this).Read(id); }

}  // namespace shapewise
