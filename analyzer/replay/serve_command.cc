// shapewise-replay serve: answers requests for the cost of a call at a size.

#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "replay/command.h"

namespace shapewise::replay {
namespace {

using Json = nlohmann::ordered_json;

Json Answer(Session& session, const TimingOptions& timing, const std::string& line) {
  const Json request = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  bool asks = request.is_object() && request.contains("time") && request["time"].is_object();
  if (asks) {
    for (const Json& size : request["time"]) asks = asks && size.is_number();
  }
  if (!asks) return {{"error", "expected {\"time\": {SYMBOL: SIZE}}"}};
  Json answer = {{"time", request["time"]}};
  try {
    Bindings bindings;
    for (const auto& [name, size] : request["time"].items()) {
      bindings[name] = size.get<double>();
    }
    answer.update(MeasurementJson(session.Measure(session.Bind(bindings), timing)));
  } catch (const std::exception& error) {
    answer["error"] = FirstLine(error.what());
  }
  return answer;
}

}  // namespace

int Serve(const ServeArguments& arguments) {
  Session session(arguments.session);
  for (std::string line; std::getline(std::cin, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::cout << Answer(session, arguments.timing, line)
                     .dump(-1, ' ', false, Json::error_handler_t::replace)
              << std::endl;
  }
  return kDone;
}

}  // namespace shapewise::replay
