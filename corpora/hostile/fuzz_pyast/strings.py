f"a{x!r:>{w:{v}}}b{{}}" rb"\x" 'c' u"d" t"{e=}" f'''{
 f"{'"'}" # c
}\N{DASH}'''
f"{x:%H:%M}{a['b']}{lambda: 1}{(lambda: 1)}{x = !s}" f"{*a, b}" f"{{" f"}}"
f"{" x
f'''a
"\x41\u00e9\U0001F600\101\
\q" b"\xff"
"unclosed
'''unclosed
