// The picture is tone-mapped and sRGB-encoded already: it only needs showing.
#version 450 core
layout(binding = 0) uniform sampler2D picture;
layout(location = 0) in vec2 texture_coordinate;
layout(location = 0) out vec4 color;

void main() { color = vec4(texture(picture, texture_coordinate).rgb, 1.0); }
