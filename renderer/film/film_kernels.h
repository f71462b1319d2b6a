// The film's kernels, once per device.
#pragma once

#include "renderer/film/film.h"

// clang-format off
TL_FOR_DEVICES(
    void tone_map_film(Stream& stream, FilmView film, ToneMap map, View<std::uint32_t> rgba8,
                       bool bottom_up);
    std::uint64_t sum_ray_counts(Scratch& scratch, FilmView film);
)
// clang-format on
