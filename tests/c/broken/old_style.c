// expect: left as it was, or fused: a definition in the style of Kernighan and Ritchie, implicit `int`, and odd spacing
/* oddities that compilers still take */
old_style(n, a, b)
int n;
float *a , *b ;
{
register i; auto float t [100];
# pragma   scop
for(i=0;i<n;i++)t[i]=a[i];
for ( i = 0 ; i < n ; i ++ ) * ( b + i ) = i [ t ] ;
#	pragma endscop
return(0);
}
