// Headers that most sources of the program include besides cmake/precompiled.h.
#pragma once

#include <imgui/imgui.h>

#include <nlohmann/json.hpp>

#include "cmake/precompiled.h"
