#include "shapewise/symbolic/facts.h"
