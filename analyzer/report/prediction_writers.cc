#include "report/prediction_writers.h"

namespace shapewise {

std::span<const PredictionFormat> PredictionFormats() {
  static const PredictionFormat formats[] = {PredictionTextFormat(), PredictionJsonFormat(),
                                             PredictionJsonlFormat()};
  return formats;
}

}  // namespace shapewise
