// A patch
#declare N = 3;
camera { location <0, 2, -3> look_at <0, 0, 0> }
/* between
   the two */
bicubic_patch {
  type 1 flatness 0.01 u_steps 3 v_steps 3
  <0, 0, 2>, <1, 0, 0>, <2, 0, 0>, <3, 0, -2>,
  <0, 1, 0>, <1, 1, 0>, <2, 1, 0>, <3, 1, 0>,
  <0, 2, 0>, <1, 2, 1e0>, <2, 2, 0>, <3, 2, 0>,
  <0, 3, 2>, <1, 3, .5>, <2, 3, - 1>, <3, 3, -2>
  texture { pigment { color rgb <1, 0.5, 0> } }
  rotate <0, 90, 0>
}
