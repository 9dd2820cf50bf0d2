// shapewise-replay curve: measures the cost of a call at several sizes.

#include <iostream>
#include <nlohmann/json.hpp>

#include "replay/command.h"

namespace shapewise::replay {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

int MeasureCurve(const CurveArguments& arguments) {
  Session session(arguments.session);
  if (arguments.as_csv) std::cout << "size,seconds,iqr,runs,peak_bytes\n";
  for (const int64_t size : arguments.sizes) {
    const Bindings bindings = session.Bind(BindTogether(arguments.symbol, size));
    const Measurement measured = session.Measure(bindings, arguments.timing);
    Json point = {{"size", size}};
    point.update(MeasurementJson(measured));
    if (!arguments.as_csv) {
      std::cout << point.dump() << std::endl;
      continue;
    }
    const char* separator = "";
    for (const auto& [name, value] : point.items()) {
      std::cout << separator << value.dump();
      separator = ",";
    }
    std::cout << std::endl;
  }
  return kDone;
}

}  // namespace shapewise::replay
