#include "replay/archive.h"

#include <ATen/ops/empty_strided.h>
#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/print_handler.h>
#include <torch/csrc/jit/serialization/import.h>
#include <torch/csrc/jit/serialization/import_read.h>
#include <torch/csrc/jit/serialization/import_source.h>
#include <torch/custom_class.h>
#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "replay/operator_lookup.h"

namespace shapewise::replay {
namespace {

using Json = nlohmann::ordered_json;
using caffe2::serialize::PyTorchStreamReader;

// Numbers of torch/_export/serde/schema.py (ScalarType), by position; the first is "unknown".
constexpr c10::ScalarType kExportedDtypes[] = {c10::ScalarType::Undefined,
                                               c10::kByte,
                                               c10::kChar,
                                               c10::kShort,
                                               c10::kInt,
                                               c10::kLong,
                                               c10::kHalf,
                                               c10::kFloat,
                                               c10::kDouble,
                                               c10::kComplexHalf,
                                               c10::kComplexFloat,
                                               c10::kComplexDouble,
                                               c10::kBool,
                                               c10::kBFloat16};

std::vector<int64_t> SizesIn(const Json& meta, const char* key) {
  std::vector<int64_t> sizes;
  for (const Json& size : meta.at(key)) sizes.push_back(size.at("as_int").get<int64_t>());
  return sizes;
}

std::string RecordText(PyTorchStreamReader& archive, const std::string& name) {
  const auto [data, size] = archive.getRecord(name);
  return {static_cast<const char*>(data.get()), size};
}

/// The tensor described by `meta`; its storage is one record.
at::Tensor ReadTensor(PyTorchStreamReader& archive, const std::string& record, const Json& meta) {
  const auto number = meta.at("dtype").get<size_t>();
  if (number == 0 || number >= std::size(kExportedDtypes)) {
    throw std::runtime_error("a weight has a dtype that is not known: " + std::to_string(number));
  }
  const std::vector<int64_t> sizes = SizesIn(meta, "sizes");
  const std::vector<int64_t> strides = SizesIn(meta, "strides");
  const c10::ScalarType dtype = kExportedDtypes[number];
  const int64_t offset = meta.at("storage_offset").value("as_int", int64_t{0});
  const auto element = static_cast<int64_t>(c10::elementSize(dtype));

  const auto [data, size] = archive.getRecord(record);
  const at::Tensor storage = at::empty_strided({static_cast<int64_t>(size) / element}, {1}, dtype);
  std::memcpy(storage.mutable_data_ptr(), data.get(), storage.nbytes());
  // as_strided checks that sizes and strides stay within the storage.
  return storage.as_strided(sizes, strides, offset);
}

void ReadConfig(PyTorchStreamReader& archive, const std::string& folder,
                const std::string& config_name, const DeviceChoice& devices,
                std::map<std::string, Value>& weights) {
  if (!archive.hasRecord(folder + config_name)) return;
  const Json config = Json::parse(RecordText(archive, folder + config_name)).at("config");
  for (const auto& [name, entry] : config.items()) {
    if (entry.value("use_pickle", false) || !entry.contains("tensor_meta")) continue;
    const std::string record = folder + entry.at("path_name").get<std::string>();
    if (!archive.hasRecord(record)) continue;
    const at::Tensor tensor = ReadTensor(archive, record, entry.at("tensor_meta"));
    weights["self." + name] = Value::Of(tensor.to(devices.Default()));
  }
}

ProgramType::Kind KindOf(const c10::TypePtr& type) {
  switch (type->kind()) {
    case c10::TypeKind::TensorType:
      return ProgramType::Kind::kTensor;
    case c10::TypeKind::IntType:
      return ProgramType::Kind::kInt;
    case c10::TypeKind::FloatType:
      return ProgramType::Kind::kFloat;
    case c10::TypeKind::BoolType:
      return ProgramType::Kind::kBool;
    default:
      return ProgramType::Kind::kUnknown;
  }
}

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

/// The module in the archive at `path`. Code is compiled and checked against the list of allowed
/// operators before any of it runs, because `__setstate__` of classes in its pickles runs during
/// loading. Throws std::runtime_error that lists what was rejected, or c10::Error.
torch::jit::Module LoadScriptModule(const std::string& path, c10::Device device) {
  // Standard output is reserved for the results of this program.
  torch::jit::setPrintHandler([](const std::string& /*text*/) {});
  return Loader(path, device).Load();
}

}  // namespace

bool IsArchive(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char magic[2] = {};
  return file.read(magic, 2) && magic[0] == 'P' && magic[1] == 'K';
}

std::map<std::string, Value> ReadWeights(const std::string& path, const DeviceChoice& devices) {
  PyTorchStreamReader archive(path);
  std::map<std::string, Value> weights;
  try {
    ReadConfig(archive, "data/weights/", "model_weights_config.json", devices, weights);
    ReadConfig(archive, "data/constants/", "model_constants_config.json", devices, weights);
  } catch (const Json::exception& error) {
    throw std::runtime_error(path + ": its weights cannot be read: " + error.what());
  }
  if (weights.empty()) {
    throw std::runtime_error(path +
                             ": no weights in it; expected a .pt2 archive of torch 2.9 or "
                             "newer");
  }
  return weights;
}

Program ReadTorchScript(const std::string& path, const DeviceChoice& devices) {
  PyTorchStreamReader archive(path);
  if (!archive.hasRecord("constants.pkl")) {
    throw std::runtime_error(path +
                             ": an archive, but none of TorchScript; a .pt2 becomes a program "
                             "by `shapewise graph --format program`, and its weights are "
                             "read by --weights");
  }
  torch::jit::Module module = LoadScriptModule(path, devices.Default());
  module.eval();
  const c10::FunctionSchema& schema = module.get_method("forward").function().getSchema();

  Program program;
  program.name = module.type()->name() ? module.type()->name()->name() : "forward";
  program.format = "torchscript";
  ProgramNode node;
  node.op = "call_function";
  node.target = "torchscript.forward";
  node.args.push_back(
      ProgramArgument::Constant({Value::Kind::kPlain, c10::IValue(module._ivalue())}));
  for (size_t i = 1; i < schema.arguments().size(); ++i) {
    ProgramInput input;
    input.name = schema.arguments()[i].name();
    input.kind = "input";
    input.type.kind = KindOf(schema.arguments()[i].type());
    input.type.device = devices.Default();
    input.slot = static_cast<uint32_t>(program.slot_names.size());
    program.slot_names.push_back(input.name);
    node.args.push_back(ProgramArgument::Slot(input.slot));
    program.inputs.push_back(std::move(input));
  }
  const auto result = static_cast<uint32_t>(program.slot_names.size());
  program.slot_names.emplace_back("result");
  node.outputs.push_back(result);
  node.types.resize(1);
  program.nodes.push_back(std::move(node));
  program.outputs = ProgramArgument::Slot(result);
  return program;
}

Value CallTorchScript(const CallArguments& arguments) {
  torch::jit::Module module(arguments.Get(0).plain().toObject());
  std::vector<c10::IValue> inputs;
  for (size_t i = 1; i < arguments.size(); ++i)
    inputs.push_back(arguments.positional[i].AsIValue());
  return Value(module.forward(std::move(inputs)));
}

}  // namespace shapewise::replay
