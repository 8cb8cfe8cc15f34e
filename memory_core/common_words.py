"""Which English words are common, so that the embedded summarizer can tell what is rare.

The stems below were counted over the documentation of free software, with a few everyday words beside. `stem`
cuts only endings: it has to put `deploys` and `deploying` together, and to be quick.
"""

from __future__ import annotations

_ENDINGS = (
    ("ies", "y"),
    ("sses", "ss"),
    ("ing", ""),
    ("edly", ""),
    ("ed", ""),
    ("ly", ""),
    ("es", ""),
    ("s", ""),
    ("er", ""),
)
_SHORTEST_STEM = 3


def _set(joined: str) -> frozenset[str]:
    return frozenset(joined.split("|"))


def stem(word: str) -> str:
    """A lower-case word without its usual endings."""
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            if ending == "s" and word.endswith("ss"):
                continue
            word = word[: -len(ending)] + instead
            break
    if len(word) > 4 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    return word


def is_common(word: str) -> bool:
    """Whether a lower-case word, or one with the same stem, is common in English."""
    return stem(word) in COMMON_STEMS


STOP_WORDS = _set(
    "a|about|above|after|again|against|all|also|am|an|and|any|are|aren't|as|at|be|because|been|before|"
    "being|below|between|both|but|by|can|can't|cannot|could|couldn't|did|didn't|do|does|doesn't|doing|"
    "don't|down|during|each|either|else|etc|ever|every|few|for|from|further|get|gets|got|had|has|hasn't|"
    "have|haven't|having|he|her|here|hers|him|his|how|however|i|i'm|i've|if|in|into|is|isn't|it|it's|its|"
    "itself|just|let|like|many|may|me|might|more|most|much|must|my|no|nor|not|now|of|off|on|once|one|"
    "only|onto|or|other|our|ours|out|over|own|per|please|quite|rather|really|same|she|should|since|so|"
    "some|such|than|that|that's|the|their|theirs|them|then|there|there's|these|they|they're|this|those|"
    "though|through|thus|to|too|under|until|up|upon|us|use|used|uses|using|very|via|was|wasn't|we|we're|"
    "were|weren't|what|when|where|whether|which|while|who|whom|whose|why|will|with|within|without|won't|"
    "would|yet|you|you're|your|yours"
)
"""Words that carry no topic."""

COMMON_STEMS = _set(
    "ability|able|abort|about|abov|absenc|absolut|abstract|abstraction|accept|acceptabl|acceptanc|"
    "access|accessibl|accidental|accompany|accord|accordanc|account|accuracy|accurat|achiev|acknowledg|"
    "acknowledgement|acknowledgment|across|act|action|activ|activat|actual|adapt|add|addition|additional|"
    "addon|address|adipisc|adjust|advanc|advantag|advertis|affect|afraid|aft|again|against|agent|"
    "aggregat|ago|agre|agreement|aka|alert|algorithm|alia|alias|align|alignment|aliqua|aliquip|all|alleg|"
    "allocat|allocation|allow|almost|alon|along|alongsid|alpha|already|alright|also|alt|alter|alternat|"
    "alternativ|although|alway|amet|among|amount|amp|analogou|analysi|analyz|ancestor|ancient|and|"
    "anim|annotat|annotation|anonymou|anoth|answ|any|anymor|anyon|anyth|anyway|anywher|apicontent|"
    "apidoc|app|appear|append|appli|applicabl|application|apply|appreciat|approach|appropriat|approv|"
    "april|arbitrary|architectur|archiv|are|area|aren|arg|argc|argument|argv|aris|arm|around|array|ask|"
    "assembl|assert|assertion|assign|assignment|assist|associat|assum|assumption|async|asynchronou|"
    "atomic|attach|attempt|attention|attr|attribut|attribution|august|aute|auth|authentication|author|"
    "authoriz|authorization|authorship|auto|autoconf|automatic|automatical|availability|availabl|avoid|"
    "await|awar|away|awful|back|backend|background|backport|backslash|backup|backward|bad|bar|bare|bas|"
    "base|bash|basi|basic|basical|baz|becaus|becom|been|befor|begin|behalf|behav|behavior|behaviour|"
    "behind|being|believ|belong|below|beneficial|benefit|best|bet|between|beyond|big|binary|bind|binding|"
    "bisect|bit|bitmap|black|blam|blank|blob|block|board|body|bogu|bold|book|bool|boolean|both|bottom|"
    "bound|boundary|box|branch|break|brief|bring|brok|broken|brought|brown|brows|bucket|buf|buffer|bug|"
    "build|built|builtin|bunch|bundl|but|button|buy|byt|byte|cach|calculat|call|callabl|callback|caller|"
    "came|can|candidat|cannot|canonical|capability|captur|care|careful|carry|cas|case|cat|catch|category|"
    "caught|caus|cent|cert|certain|certificat|chain|chanc|chang|changelog|channel|chapt|char|charact|"
    "character|charg|check|checkbox|checkout|child|children|choic|choos|chosen|chunk|cillum|circumstanc|"
    "city|claim|clang|clarifi|class|claus|clean|cleanup|clear|clearfix|client|clon|clos|cloud|clust|cod|"
    "code|codepath|coffe|col|collect|collection|colon|color|column|com|combin|combination|come|command|"
    "comment|commercial|commit|commodo|common|communicat|communication|community|comp|compact|compar|"
    "comparison|compatibility|compatibl|compil|compilation|compiler|complain|complet|completion|complex|"
    "complianc|compliant|component|compress|compression|comput|computation|concept|concern|concret|"
    "concurrent|condition|conditional|config|configur|configurabl|configuration|conflict|conform|confus|"
    "confusion|connect|connection|consectetur|consecutiv|consequat|consequenc|consequential|consid|"
    "consider|consist|consistency|consistent|consol|const|constant|constitut|constraint|construct|"
    "construction|constructor|consult|consum|contact|contain|content|context|continu|contract|contrast|"
    "contribut|contribution|contributor|control|controll|convenienc|convenient|convention|conversion|"
    "convert|convey|copi|copy|copyright|core|corn|correct|correctness|correspond|corrupt|corruption|cost|"
    "could|count|counterclaim|coupl|cours|cov|cover|coverag|crash|creat|creation|credential|credit|cross|"
    "crypto|cryptographic|culpa|cupidatat|current|custom|customiz|cut|cycl|daemon|damag|dark|dash|"
    "dashboard|dat|data|databas|date|datetim|day|dead|deal|dealing|debian|debianiz|debug|decemb|decid|"
    "decimal|decision|declar|declaration|decod|decorat|decorator|dedicat|deem|deep|def|default|defin|"
    "definition|delay|delet|delimit|delta|depend|dependency|dependent|deploy|deployment|deprecat|"
    "deprecation|depth|der|deriv|derivativ|describ|description|descriptor|deserunt|design|designat|desir|"
    "destination|detach|detail|detect|detection|determin|dev|develop|developer|development|devic|diagnos|"
    "diagnostic|dict|dictionary|did|didn|die|dif|differ|differenc|different|difficult|digest|digit|dir|"
    "direct|direction|directiv|directory|disabl|discard|disclaim|discover|discuss|discussion|disk|"
    "display|dist|distinct|distinguish|distribut|distribution|distutil|div|doc|dock|document|"
    "documentation|doe|doesn|dog|doing|doko|dolor|domain|don|done|dot|doubl|doubt|down|download|draft|"
    "draw|drop|dual|due|dui|dump|duplicat|dur|duration|dynamic|dynamical|each|ear|earli|easi|east|easy|"
    "eat|echo|edge|edit|editor|effect|effectiv|efficient|effort|eith|eiusmod|electronic|element|elit|"
    "else|elsewher|email|emb|embed|emit|empty|enabl|enclos|encod|encoding|encounter|encourag|end|endif|"
    "endors|endpoint|enforc|engin|enhanc|enim|enough|ensur|ent|entir|entirety|entitl|entity|entry|enum|"
    "env|environment|equal|equivalent|err|errno|error|escap|especial|esse|essential|est|establish|etc|"
    "eval|evaluat|evaluation|even|event|eventual|ever|every|everyth|exact|exampl|exc|except|excepteur|"
    "exception|exchang|exclud|exclusion|exclusiv|exec|execut|executabl|execution|exercis|exercitation|"
    "exist|existenc|exit|expand|expect|expensiv|experienc|experimental|explain|explanation|explicit|"
    "export|expos|expr|express|expression|extend|extension|extent|external|extra|extract|extraction|fact|"
    "factory|fail|failur|fair|fall|fallback|fals|fami|far|fashion|fast|fatal|featur|february|fed|fee|"
    "feed|feel|fetch|few|field|figur|fil|file|filenam|filesystem|fill|filt|filter|final|find|fine|finish|"
    "firewall|first|fit|fitness|five|fix|fixtur|flag|flaky|flat|float|flow|flush|focu|fold|follow|font|"
    "foo|foot|for|forbid|forc|foreach|forego|foreign|forget|forgot|fork|form|format|forward|found|four|"
    "fox|fram|framework|fre|free|friday|friend|from|front|frontend|fugiat|ful|full|func|function|"
    "functionality|furnish|furth|futur|gain|garbag|gave|general|generat|generation|generator|generic|get|"
    "git|gitweb|giv|give|given|glibc|glob|global|goal|goe|going|good|got|goto|govern|government|grammar|"
    "grant|graph|great|grep|group|grow|gtoc|guarant|guarante|guess|guid|gzip|had|hand|handful|handl|"
    "handler|happen|happy|hard|harden|hardwar|has|hash|hasn|hav|have|haven|head|header|heap|hear|heard|"
    "held|hello|help|helper|helpful|henc|here|hereby|herein|hex|hidden|hide|hierarchy|high|highlight|"
    "hint|his|historical|history|hit|hold|holder|home|honest|honor|hook|hope|host|hostnam|hous|hov|how|"
    "howev|hppa|huge|human|hunk|icon|idea|identical|identifi|identification|identifier|identify|identity|"
    "ifdef|ifndef|ignor|iii|imag|img|immediat|imp|impact|implement|implementation|impli|implicit|imply|"
    "import|important|impossibl|improv|improvement|incident|incidental|incididunt|includ|inclusion|"
    "inclusiv|incom|incompatibl|incomplet|inconsistent|incorporat|incorrect|increas|incremental|incur|"
    "indent|indentation|independent|index|indic|indicat|indirect|individual|infer|infinit|info|inform|"
    "information|infringement|ing|inherit|init|initial|initializ|initialization|inject|inlin|inn|input|"
    "insensitiv|insert|insid|inspect|install|installation|instanc|instantiat|instead|institut|"
    "instruction|int|integ|integer|integrat|integration|intellectual|intend|intent|intentional|interact|"
    "interaction|interactiv|interest|interfac|interfer|interior|intermediat|internal|interpret|into|"
    "intrinsic|intro|introduc|invalid|invocation|invok|involv|ipsum|irrevocabl|irur|isn|issu|item|"
    "iterabl|iteration|iterator|its|itself|january|job|join|json|july|jump|june|jurisdiction|just|keep|"
    "kept|kernel|key|keyword|kill|kind|kitchen|know|knowledg|known|kubernet|kwarg|label|labor|labori|"
    "laborum|lack|lambda|languag|larg|last|lat|late|latest|law|lay|layout|lazy|lead|leak|learn|least|"
    "leav|left|legacy|legal|len|length|less|let|letter|level|lex|liability|liabl|lib|libexslt|libffi|"
    "libgomp|library|libstdc|libuv|libxslt|licens|lightweight|like|limit|limitation|lin|line|link|lint|"
    "list|listen|literal|littl|live|load|local|localhost|locat|location|lock|log|logic|logical|login|"
    "logo|long|look|lookup|loop|loos|lorem|lose|loss|lost|lot|loud|low|lowercas|lunch|machin|machinery|"
    "macro|made|magic|magna|mail|mailto|main|maint|maintain|maintainer|maintenanc|major|mak|make|"
    "makeinfo|malform|malloc|man|manag|management|mandatory|manual|many|map|mapping|march|margin|mark|"
    "marker|markup|martin|mast|mat|match|material|max|maximum|may|mayb|mean|meaningful|meant|mechanism|"
    "media|medium|meet|memb|member|memory|mention|merchantability|mere|merg|mergetool|messag|met|meta|"
    "metadata|meth|method|metric|middl|might|migrat|migration|millisecond|mind|minim|minimal|minimum|"
    "minor|minut|mip|mirror|misbehav|mislead|misrepresent|miss|mistak|mix|mkdir|mock|mod|mode|model|"
    "modern|modifi|modification|modify|modul|mollit|monday|money|month|more|morn|most|mov|move|much|"
    "multilib|multipl|must|mypy|nam|name|namespac|nativ|natur|nav|navigation|necessari|necessary|need|"
    "negativ|neighbor|neith|nest|net|network|nev|new|newlin|next|nice|night|nisi|nod|node|non|none|nor|"
    "normal|normaliz|north|nostrud|not|notation|note|noth|notic|notify|novemb|now|nowrap|null|nulla|num|"
    "numb|number|numeric|obj|object|obligation|obliqu|obsolet|obtain|obviou|obvious|occaecat|occur|octob|"
    "off|offer|offic|officia|official|offset|often|old|omit|oncall|once|one|onlin|only|onto|opaqu|open|"
    "openssl|operat|operation|operator|oppos|optimiz|optimization|option|optional|ord|order|ordinary|"
    "organization|origin|original|orphan|oth|other|otherwis|ought|our|out|output|outsid|outstand|over|"
    "overall|overflow|overhead|overrid|overridden|overview|overwrit|overwritten|own|ownership|pack|"
    "packag|packfil|pad|pag|page|pair|paragraph|parallel|param|paramet|parameter|parent|pariatur|pars|"
    "part|partial|particular|party|pass|password|past|patch|patent|path|pathnam|pathspec|pattern|pay|"
    "payload|pend|peopl|per|percent|perform|performanc|perhap|period|perl|permission|permissiv|permit|"
    "persistent|person|personal|pertain|phas|pick|pid|piec|pip|pipe|pipelin|plac|plain|plan|platform|"
    "play|pleas|plu|plugin|pod|point|pointer|policy|pool|pop|port|portability|portabl|portion|position|"
    "positional|positiv|possib|possibility|possibl|post|potential|pow|practic|pre|preced|precedenc|"
    "precis|precompil|predefin|predicat|pref|prefer|preferenc|prefix|prepackag|prepar|prerequisit|"
    "presenc|present|preserv|pretty|prev|prevent|previou|previous|primari|primary|primitiv|print|printf|"
    "prior|priority|privat|probab|problem|problematic|procedur|process|processor|produc|product|"
    "production|profil|program|programlist|progress|prohibit|proident|project|prominent|promis|promot|"
    "prompt|prop|propagat|propagation|proper|property|proprietary|protect|protection|protocol|prototyp|"
    "provid|provision|proxy|prun|public|publicity|publish|pull|pure|purpos|push|put|pypars|pytest|python|"
    "qualify|quality|query|question|queu|qui|quick|quiet|quit|quot|race|rais|random|rang|rare|rath|raw|"
    "reach|reachabl|read|readabl|ready|real|reason|reasonab|reasonabl|rebas|receiv|recent|recipient|"
    "recogniz|recommend|record|recov|recursion|recursiv|redirect|redistribut|redistribution|reduc|"
    "redundant|ref|refer|referenc|reflect|reflog|refresh|refus|regard|regardless|regex|regexp|region|"
    "regist|register|registry|regression|regular|reimplement|reject|relat|relationship|relativ|releas|"
    "relevant|reliab|rely|remain|remaind|rememb|remot|remov|removal|renam|rend|repack|repeat|replac|"
    "replacement|repo|report|repository|reprehenderit|represent|representation|reproduc|req|request|"
    "requir|requirement|res|reserv|reset|resolution|resolv|resourc|respect|respectiv|respons|"
    "responsibility|responsibl|rest|restor|restrict|restriction|restrictiv|result|ret|retain|retriev|"
    "retry|return|reus|revers|revert|review|revision|revok|rewrit|rewritten|right|risk|robust|rollback|"
    "room|root|rotat|rotation|routin|row|royalty|rtyp|rul|rule|run|runtim|sad|saf|safe|said|sale|same|"
    "sampl|satisfy|saturday|sav|save|say|scalar|scan|schedul|schem|schema|school|scientific|scop|scot|"
    "screen|script|search|second|secret|section|secur|security|sed|see|seek|seem|seen|select|selection|"
    "self|sell|semantic|send|sens|sensitiv|sent|sentenc|separat|separator|septemb|sequenc|serializ|"
    "serialization|serif|serv|server|servic|sery|session|set|setting|setup|setuptool|several|shall|"
    "shallow|shar|shell|shift|ship|short|shortcut|should|shouldn|show|shown|shutdown|side|sign|signal|"
    "signatur|significant|silent|similar|simp|simpl|simplest|simplifi|simplify|sinc|singl|sint|sit|site|"
    "situation|siz|size|skip|slash|slic|slight|slow|small|smart|smash|snapshot|socket|softwar|sole|"
    "solution|some|someon|someth|sometim|somewhat|somewher|soon|sort|sourc|south|spac|span|spars|spawn|"
    "spe|speak|spec|special|specifi|specific|specifical|specification|specifier|specify|spend|split|"
    "stability|stabl|stack|stag|stal|stand|standalon|standard|start|startup|stash|stat|statement|static|"
    "statical|statistic|statu|stay|stder|stdin|stdout|step|still|stop|stor|storag|str|strategy|stream|"
    "street|strict|string|strip|strong|struct|structur|stuf|styl|stylesheet|sub|subclass|subcommand|"
    "subdirectory|subject|sublicens|submit|submodul|subprocess|subsequent|subset|substantial|substitut|"
    "subtl|subtre|subtyp|success|successful|successor|such|sufficient|suffix|suggest|suggestion|suit|"
    "suitability|suitabl|sum|summary|sunday|sunt|sup|superproject|suppli|support|suppos|suppress|sure|"
    "switch|symbol|symbolic|symlink|sync|synchronou|synopsi|syntax|system|tab|tabl|tag|tak|take|taken|"
    "talk|tar|tarball|target|task|taught|tbody|teach|team|technical|tell|templat|tempor|temporari|"
    "temporary|term|terminal|terminat|termination|test|text|textual|than|thank|that|the|their|them|"
    "themselv|then|theory|ther|therefor|thereof|thes|they|thi|thing|think|third|thos|though|thre|thread|"
    "threshold|through|throughout|throw|thrown|thu|thursday|ticket|tied|tim|time|timeout|timestamp|"
    "timezon|tip|titl|titlepag|toc|today|togeth|token|told|tomorrow|too|tool|top|total|touch|trac|track|"
    "trad|trademark|traditional|trail|transf|transfer|transform|transformation|translat|translation|"
    "transport|tre|treat|tree|tri|trig|trigger|trivial|true|truncat|trust|try|tuesday|tupl|turn|twic|two|"
    "typ|type|typedef|typical|typofix|uid|ullamco|unabl|unavailabl|uncompress|unconditional|und|undefin|"
    "underlin|underly|underscor|understand|understood|unenforceabl|unexpect|unicod|uninitializ|union|"
    "uniqu|unit|unix|unknown|unless|unlik|unlimit|unmodifi|unnecessari|unnecessary|unrelat|unsign|"
    "unspecifi|unstabl|unsupport|until|untrack|unus|upcom|updat|upgrad|upload|upon|upp|upstream|url|"
    "usabl|usag|use|used|useful|user|usernam|using|usual|utility|val|valgrind|valid|validat|validation|"
    "validity|valu|van|var|variabl|variablelist|variant|variety|variou|vary|vector|velit|vendor|veniam|"
    "verbatim|verbos|verifi|verification|verify|version|versionad|versionchang|very|via|vice|view|"
    "viewport|virtual|visibility|visibl|visit|void|voluptat|wait|waiv|walk|want|warn|warning|warranty|"
    "was|wasn|wat|watch|way|weak|wear|web|websit|wednesday|week|welcom|well|went|were|west|what|whatev|"
    "whatsoev|wheel|when|whenev|wher|wherev|wheth|which|whil|whit|whitespac|who|whol|whom|whos|why|wide|"
    "width|wiki|wildcard|will|win|window|wish|with|within|without|won|word|work|workaround|workflow|"
    "worktre|world|worldwid|worry|worth|would|wrap|wrapper|writ|writabl|written|wrong|wrot|xsltproc|year|"
    "yes|yesterday|yet|yield|you|young|your|yourself|zero|zip|zlib"
)
"""Stems of words that a note can be expected to hold anyway."""
