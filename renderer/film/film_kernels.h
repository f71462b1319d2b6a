// Tone mapping and the sum of ray counts; the latter waits.
#pragma once

#include "renderer/film/film.h"

// clang-format off
TL_FOR_DEVICES(
    /// Implements tone_map.
    void tone_map_film(Stream& stream, FilmView film, ToneMap map, View<std::uint32_t> rgba8,
                       bool bottom_up);
    /// Implements Film::rays_of_frame. Waits for the stream.
    std::uint64_t sum_ray_counts(Scratch& scratch, FilmView film);
)
// clang-format on
