// shapewise-replay info: shows what a program is, and how much of it can be replayed.

#include <torch/version.h>

#include <ATen/Parallel.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "replay/command.h"
#include "replay/statement.h"

namespace shapewise::replay {
namespace {

using Json = nlohmann::ordered_json;

Json SizesJson(const std::optional<std::vector<SizeExpression>>& sizes) {
  if (!sizes) return nullptr;
  Json json = Json::array();
  for (const SizeExpression& size : *sizes) {
    json.push_back(size.kind == SizeExpression::Kind::kInteger ? Json(size.integer)
                                                               : Json(ToText(size)));
  }
  return json;
}

template <typename Number>
Json OrNull(const std::optional<Number>& number) {
  return number ? Json(*number) : Json();
}

Json InfoJson(const Program& program) {
  Json json = {{"schema", "shapewise.replay-info/1"},
               {"torch", TORCH_VERSION},
               {"cuda", IsAvailable(c10::kCUDA)},
               {"threads", at::get_num_threads()},
               {"name", program.name},
               {"format", program.format},
               {"statements", program.nodes.size()}};
  Json& symbols = json["symbols"] = Json::array();
  for (const ProgramSymbol& symbol : program.symbols) {
    symbols.push_back({{"name", symbol.name},
                       {"hint", OrNull(symbol.hint)},
                       {"lower", OrNull(symbol.lower)},
                       {"upper", OrNull(symbol.upper)}});
  }
  Json& inputs = json["inputs"] = Json::array();
  for (const ProgramInput& input : program.inputs) {
    inputs.push_back({{"name", input.name},
                      {"kind", input.kind},
                      {"dtype", input.type.dtype ? Json(DtypeName(*input.type.dtype)) : Json()},
                      {"shape", SizesJson(input.type.shape)}});
  }
  Json means = Json::object();
  Json& missing = json["not_replayable"] = Json::array();
  for (const ProgramNode& node : program.nodes) {
    std::string reason;
    const Means found = MeansOf(node, &reason);
    Json& count = means[std::string(MeansName(found))];
    count = count.is_null() ? 1 : count.get<int>() + 1;
    if (found != Means::kNone) continue;
    missing.push_back({{"line", node.line == 0 ? Json() : Json(node.line)},
                       {"name", NameOf(program, node)},
                       {"target", node.target},
                       {"reason", reason}});
  }
  json["means"] = std::move(means);
  return json;
}

}  // namespace

int PrintInfo(const InfoArguments& arguments) {
  const Session session(arguments.session);
  std::cout << InfoJson(session.program()).dump() << "\n";
  return kDone;
}

}  // namespace shapewise::replay
