#include "report/prediction_writers.h"

namespace shapewise {

const std::vector<const PredictionWriter*>& PredictionWriters() {
  static const std::vector<const PredictionWriter*> writers = {
      &PredictionTextReport(), &PredictionJsonReport(), &PredictionJsonlReport()};
  return writers;
}

const PredictionWriter* FindPredictionWriter(std::string_view name) {
  for (const PredictionWriter* writer : PredictionWriters()) {
    if (writer->name() == name) return writer;
  }
  return nullptr;
}

}  // namespace shapewise
