#include "replay/script_module.h"

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/runtime/print_handler.h>
#include <torch/csrc/jit/serialization/import.h>
#include <torch/csrc/jit/serialization/import_read.h>
#include <torch/csrc/jit/serialization/import_source.h>
#include <torch/custom_class.h>

#include <algorithm>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "replay/allowed_operators.h"

namespace shapewise::replay {
namespace {

using caffe2::serialize::PyTorchStreamReader;
using torch::jit::AttributeKind;
using torch::jit::Block;
using torch::jit::Graph;
using torch::jit::Node;

/// C++ classes, whose methods are not TorchScript and cannot be inspected.
bool IsCppClass(const c10::Type& type) {
  const auto* named = type.castRaw<c10::NamedType>();
  return named != nullptr && named->name() &&
         torch::getCustomClass(named->name()->qualifiedName()) != nullptr;
}

/// Collects what a graph contains that is not allowed.
class GraphCheck {
 public:
  void Check(const Graph& graph) { Check(*graph.block()); }

  const std::set<std::string>& refused() const { return refused_; }

 private:
  void Check(const Block& block) {
    for (const Node* node : block.nodes()) Check(*node);
  }

  void Check(const Node& node) {
    const c10::Symbol kind = node.kind();
    // The schema of a called operator is that of the resolved overload.
    const c10::FunctionSchema* schema = kind.is_prim() ? nullptr : node.maybeSchema();
    const bool is_allowed = kind.is_prim() ? IsAllowedPrimitive(kind.toUnqualString())
                                           : schema != nullptr && IsAllowedOperator(*schema);
    if (!is_allowed) refused_.insert(kind.toQualString());
    for (const torch::jit::Value* output : node.outputs()) CheckType(*output->type());
    for (const Block* block : node.blocks()) Check(*block);
    for (const c10::Symbol name : node.attributeNames()) {
      if (node.kindOf(name) == AttributeKind::g) Check(*node.g(name));
      if (node.kindOf(name) != AttributeKind::gs) continue;
      for (const std::shared_ptr<Graph>& graph : node.gs(name)) Check(*graph);
    }
  }

  void CheckType(const c10::Type& type) {
    if (IsCppClass(type)) refused_.insert(type.str());
    // A class may contain itself; objects in its attributes are created or unpickled elsewhere.
    if (type.kind() == c10::TypeKind::ClassType) return;
    for (const c10::TypePtr& contained : type.containedTypes()) CheckType(*contained);
  }

  std::set<std::string> refused_;
};

/// Reads one archive.
class Loader {
 public:
  Loader(const std::string& path, c10::Device device)
      : path_(path),
        device_(device),
        archive_(path),
        code_(std::make_shared<torch::jit::CompilationUnit>()),
        importer_(
            code_, &constants_, [this](const std::string& name) { return SourceOf(name); },
            archive_.version()) {}

  torch::jit::Module Load() {
    if (archive_.hasRecord("model.json")) {
      throw std::runtime_error(path_ + ": a TorchScript archive of PyTorch 1.3 or older; save it " +
                               "again with a newer release");
    }
    const c10::IValue constants = ReadPickle("constants");
    for (const c10::IValue& constant : constants.toTupleRef().elements()) {
      constants_.push_back(constant);
    }
    return torch::jit::Module(ReadPickle("data").toObject());
  }

 private:
  /// Null: the archive has no such file, so the name refers to a builtin.
  std::shared_ptr<torch::jit::Source> SourceOf(const std::string& qualifier) {
    std::string record = "code/" + qualifier + ".py";
    std::replace(record.begin() + 5, record.end() - 3, '.', '/');
    if (!archive_.hasRecord(record)) return nullptr;
    const auto [data, size] = archive_.getRecord(record);
    return std::make_shared<torch::jit::Source>(
        std::string(static_cast<const char*>(data.get()), size), record, 1);
  }

  c10::IValue ReadPickle(const std::string& name) {
    const auto find_type = [this](const c10::QualifiedName& type_name) {
      c10::TypePtr type = importer_.loadType(type_name);
      if (type == nullptr) {
        throw std::runtime_error(path_ + ": no class " + type_name.qualifiedName() + " in it");
      }
      if (IsCppClass(*type)) Refuse({type_name.qualifiedName()});
      // Loading a class compiles everything its methods call, and runs nothing.
      CheckNewCode();
      return c10::StrongTypePtr(code_, std::move(type));
    };
    return torch::jit::readArchiveAndTensors(name, /*pickle_prefix=*/"", /*tensor_prefix=*/"",
                                             find_type, torch::jit::ObjLoaderFunc, device_,
                                             archive_);
  }

  void CheckNewCode() {
    const std::vector<torch::jit::Function*> functions = code_->get_functions();
    GraphCheck check;
    for (; num_checked_ < functions.size(); ++num_checked_) {
      torch::jit::Function* function = functions[num_checked_];
      if (function == nullptr) continue;
      torch::jit::GraphFunction* with_graph = torch::jit::tryToGraphFunction(*function);
      if (with_graph == nullptr) Refuse({function->qualname().qualifiedName()});
      check.Check(*with_graph->graph());
    }
    if (!check.refused().empty()) Refuse(check.refused());
  }

  [[noreturn]] void Refuse(const std::set<std::string>& names) const {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    throw std::runtime_error(path_ + ": not run, because it uses what is not on the list of " +
                             "allowed operators: " + list);
  }

  std::string path_;
  c10::Device device_;
  PyTorchStreamReader archive_;
  std::shared_ptr<torch::jit::CompilationUnit> code_;
  std::vector<c10::IValue> constants_;
  torch::jit::SourceImporter importer_;
  size_t num_checked_ = 0;
};

}  // namespace

torch::jit::Module LoadScriptModule(const std::string& path, c10::Device device) {
  // Standard output is reserved for the results of this program.
  torch::jit::setPrintHandler([](const std::string& /*text*/) {});
  return Loader(path, device).Load();
}

}  // namespace shapewise::replay
