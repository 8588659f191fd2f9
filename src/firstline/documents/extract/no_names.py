"""Words that are no names by themselves, whatever their capitals."""

from __future__ import annotations

from typing import Final

FUNCTION: Final = frozenset(
    "a an the this that these those it its if when where while as at in on of for from to by with and or but not no"
    " all any some each every is are"
    " was were be you your we our they their he she his her my i see note please apar apars ticket tickets issue"
    " issues bug bugs".split()
)
"""These begin no name, within a sentence either."""
ORDINARY: Final = frozenset(
    "a an the this that these those it its if when where while as at in on of for from to by with without within"
    " after before during until since"
    " because so but and or nor not no yes all any some each every both either neither one two three first second"
    " third last next then also"
    " however therefore thus otherwise instead additionally moreover furthermore note please see refer use using used"
    " make do does did done can"
    " could may might must shall should will would is are was were be been being has have had get got go goes open"
    " close select click check verify"
    " ensure run install uninstall enter type create delete add remove review contact navigate login log download"
    " upload upgrade update apply"
    " restart start stop set copy paste move change edit save configure enable disable follow complete perform"
    " determine identify find look"
    " locate repeat press choose specify define provide include consider try wait confirm test compare replace modify"
    " view show list read write"
    " once only there here how what why who which we you your our they their he she his her my i let's unless"
    " although though even just like"
    " such most many more less several other another new old same different for example default step steps option"
    " options problem cause answer"
    " question symptom environment resolution solution description summary abstract resolving diagnosing related"
    " information affected products"
    " troubleshooting faq bulletin important warning caution tip attention error message however about under over"
    " between through"
    " monitor given according depending based due per via upon above below case make sure during inside outside out"
    " up down off again further later earlier"
    " apar apars cve ticket tickets issue issues bug bugs well still already now today currently recently usually"
    " generally typically often sometimes always never cannot don't can't doesn't isn't".split()
)
GENERIC: Final = frozenset(
    "fix fixes pack packs fixpack fixpacks product products article articles knowledge base knowledgebase version"
    " versions release releases note notes"
    " support supported unsupported affected addressed applicable interim installation information additional table"
    " section chapter page figure"
    " user users guide document documentation date name type value file files download downloads readme item items"
    " list component components part"
    " platform edition segment level title number id status url link order new beta first last english french german"
    " spanish italian portuguese russian"
    " chinese japanese korean arabic hebrew turkish polish dutch hungarian czech danish finnish greek norwegian"
    " swedish thai american european exit"
    " administrator customer customers company team service pack refresh combined cumulative maintenance mode"
    " group server host number key path port address time size code status memory message".split()
)
"""A run of nothing but these is a label, not a name."""
LABELS: Final = frozenset("affected supported addressed applicable unsupported versions".split())
TRAILING: Final = frozenset(
    "version versions release releases level v fix support page pages none true false on off".split()
)
DATES: Final = frozenset(
    "january february march april may june july august september october november december jan feb mar apr jun jul"
    " aug sep sept oct nov dec monday"
    " tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun gmt utc pst est edt pdt cet"
    " am pm".split()
)
NO_ACRONYM: Final = frozenset(
    "ALPHA BETA STABLE CRITICAL HOLDER NOTE NOTES FAQ URL URI URLS PDF THE AND NOT MUST FOR ARE YOU ALL ANY USE"
    " TIP API APIS CPU RAM GMT UTC PST EST EDT ASCII HTML HTTP HTTPS"
    " XML JSON YAML CSV SQL GUI CLI IDE USA ISO RFC AKA ETC DESCRIPTION WARNING IMPORTANT CAUTION ERROR INFO DEBUG"
    " FATAL TRUE FALSE NULL NONE YES"
    " SELECT FROM WHERE INSERT UPDATE DELETE CREATE TABLE INTO VALUES ORDER GROUP GET POST PUT PATCH HEAD III VII"
    " VIII XII XIII".split()
)
KINDS_OF: Final = frozenset(
    "list lists number set type kind name names copy version amount size end part use ttl level lack loss segregation"
    " separation creation deletion addition removal status state availability types date percentage".split()
)
"""What stands before "of" and names what of something is meant."""
