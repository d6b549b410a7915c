; Arrays of which nothing is left where all loops are entered, and of which the other way reads nothing: clang's code for loops up to `n` and `n - 1`.
; fuse: blur 1, twice_blurred 2
; removed: blur 1, twice_blurred 1
; run: blur a=f32[n] b=f32[n] n=0..40
; run: twice_blurred a=f32[n] b=f32[n] n=0..70

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

define void @blur(ptr noalias %a, ptr noalias %b, i32 %n) {
  %v4 = tail call i32 @llvm.smax.i32(i32 %n, i32 1)
  %v5 = zext nneg i32 %v4 to i64
  %v6 = shl nuw nsw i64 %v5, 2
  %v7 = tail call ptr @malloc(i64 noundef %v6)
  %v8 = icmp sgt i32 %n, 0
  br i1 %v8, label %v9, label %v27

v9:
  %v10 = zext nneg i32 %n to i64
  br label %v19

v11:
  %v12 = icmp sgt i32 %n, 2
  br i1 %v12, label %v13, label %v27

v13:
  %v14 = add nsw i32 %n, -1
  %v15 = zext nneg i32 %v14 to i64
  %v16 = getelementptr i8, ptr %v7, i64 4
  %v17 = load float, ptr %v16, align 4
  %v18 = getelementptr i8, ptr %v7, i64 -4
  br label %v28

v19:
  %v20 = phi i64 [ 0, %v9 ], [ %v25, %v19 ]
  %v21 = getelementptr inbounds float, ptr %a, i64 %v20
  %v22 = load float, ptr %v21, align 4
  %v23 = tail call float @llvm.fmuladd.f32(float %v22, float 5.000000e-01, float 1.000000e+00)
  %v24 = getelementptr inbounds float, ptr %v7, i64 %v20
  store float %v23, ptr %v24, align 4
  %v25 = add nuw nsw i64 %v20, 1
  %v26 = icmp eq i64 %v25, %v10
  br i1 %v26, label %v11, label %v19

v27:
  tail call void @free(ptr noundef %v7)
  ret void

v28:
  %v29 = phi float [ %v17, %v13 ], [ %v36, %v28 ]
  %v30 = phi i64 [ 1, %v13 ], [ %v34, %v28 ]
  %v31 = getelementptr float, ptr %v18, i64 %v30
  %v32 = load float, ptr %v31, align 4
  %v33 = fadd float %v32, %v29
  %v34 = add nuw nsw i64 %v30, 1
  %v35 = getelementptr inbounds float, ptr %v7, i64 %v34
  %v36 = load float, ptr %v35, align 4
  %v37 = fadd float %v33, %v36
  %v38 = getelementptr inbounds float, ptr %b, i64 %v30
  store float %v37, ptr %v38, align 4
  %v39 = icmp eq i64 %v34, %v15
  br i1 %v39, label %v27, label %v28
}

define void @twice_blurred(ptr noalias %a, ptr noalias %b, i32 %n) {
  %v4 = alloca [64 x float], align 16
  %v5 = alloca [64 x float], align 16
  call void @llvm.lifetime.start.p0(i64 256, ptr nonnull %v4)
  call void @llvm.lifetime.start.p0(i64 256, ptr nonnull %v5)
  %v6 = add i32 %n, -1
  %v7 = icmp ult i32 %v6, 64
  br i1 %v7, label %v8, label %v57

v8:
  %v9 = zext nneg i32 %n to i64
  br label %v18

v10:
  %v11 = icmp sgt i32 %n, 2
  br i1 %v11, label %v12, label %v57

v12:
  %v13 = add nsw i32 %n, -1
  %v14 = zext nneg i32 %v13 to i64
  %v15 = load float, ptr %v4, align 16
  %v16 = getelementptr inbounds i8, ptr %v4, i64 4
  %v17 = load float, ptr %v16, align 4
  br label %v35

v18:
  %v19 = phi i64 [ 0, %v8 ], [ %v24, %v18 ]
  %v20 = getelementptr inbounds float, ptr %a, i64 %v19
  %v21 = load float, ptr %v20, align 4
  %v22 = fmul float %v21, 5.000000e-01
  %v23 = getelementptr inbounds [64 x float], ptr %v4, i64 0, i64 %v19
  store float %v22, ptr %v23, align 4
  %v24 = add nuw nsw i64 %v19, 1
  %v25 = icmp eq i64 %v24, %v9
  br i1 %v25, label %v10, label %v18

v26:
  %v27 = icmp sgt i32 %n, 4
  br i1 %v27, label %v28, label %v57

v28:
  %v29 = add nsw i32 %n, -2
  %v30 = zext nneg i32 %v29 to i64
  %v31 = getelementptr inbounds i8, ptr %v5, i64 4
  %v32 = load float, ptr %v31, align 4
  %v33 = getelementptr inbounds i8, ptr %v5, i64 8
  %v34 = load float, ptr %v33, align 8
  br label %v46

v35:
  %v36 = phi float [ %v17, %v12 ], [ %v42, %v35 ]
  %v37 = phi float [ %v15, %v12 ], [ %v36, %v35 ]
  %v38 = phi i64 [ 1, %v12 ], [ %v40, %v35 ]
  %v39 = fadd float %v37, %v36
  %v40 = add nuw nsw i64 %v38, 1
  %v41 = getelementptr inbounds [64 x float], ptr %v4, i64 0, i64 %v40
  %v42 = load float, ptr %v41, align 4
  %v43 = fadd float %v39, %v42
  %v44 = getelementptr inbounds [64 x float], ptr %v5, i64 0, i64 %v38
  store float %v43, ptr %v44, align 4
  %v45 = icmp eq i64 %v40, %v14
  br i1 %v45, label %v26, label %v35

v46:
  %v47 = phi float [ %v34, %v28 ], [ %v53, %v46 ]
  %v48 = phi float [ %v32, %v28 ], [ %v47, %v46 ]
  %v49 = phi i64 [ 2, %v28 ], [ %v51, %v46 ]
  %v50 = fadd float %v48, %v47
  %v51 = add nuw nsw i64 %v49, 1
  %v52 = getelementptr inbounds [64 x float], ptr %v5, i64 0, i64 %v51
  %v53 = load float, ptr %v52, align 4
  %v54 = fadd float %v50, %v53
  %v55 = getelementptr inbounds float, ptr %b, i64 %v49
  store float %v54, ptr %v55, align 4
  %v56 = icmp eq i64 %v51, %v30
  br i1 %v56, label %v57, label %v46

v57:
  call void @llvm.lifetime.end.p0(i64 256, ptr nonnull %v5)
  call void @llvm.lifetime.end.p0(i64 256, ptr nonnull %v4)
  ret void
}

declare float @llvm.fmuladd.f32(float, float, float)
declare i32 @llvm.smax.i32(i32, i32)
declare noalias noundef ptr @malloc(i64 noundef)
declare void @free(ptr allocptr nocapture noundef)
declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture)
declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture)
