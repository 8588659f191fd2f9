"""The common words that the sentences are filled with, and what is not a person though it is written like one."""

from __future__ import annotations

from typing import Final

VERBS: Final = """fixed broke opened closed called wrote answered failed crashed returned moved changed bought sold
lost found liked
hated loved watched sang played won left joined met asked told shouted whispered ignored forgot remembered repaired
installed
updated deleted restarted hung stopped worked disappeared arrived cancelled refused accepted explained described noticed
reported solved escalated reset blocked signed sent received ordered paid promised visited recommended criticised
praised helped
confirmed denied leaked started finished missed caught built designed painted drove carried dropped kept kicked wanted
needed""".split()
NOUNS: Final = """account invoice ticket order problem printer laptop phone router password server database backup
report meeting
contract project team dashboard message letter book song film record concert house car dog garden dinner game story
idea wedding
party question answer update release license subscription refund delivery parcel package bill statement card payment
address
friend brother sister partner neighbour boss boyfriend girlfriend assistant teacher doctor lawyer cousin mother father
family
company school hospital office shop market bridge river city country war election government police court decision law
right
bug feature crash log screen keyboard mouse cable network firewall certificate browser page link button form field
table chart
file folder disk image video camera microphone speaker album track riff chorus verse poem novel chapter character scene
actor
joke lie promise mistake accident injury illness death birth life marriage divorce trip flight hotel beach mountain
winter
summer weekend morning evening night week month year time money price cost tax bank loan insurance claim
policy""".split()
ADJECTIVES: Final = """slow fast broken great awful strange simple complicated expensive cheap late early wrong right
missing empty full
ready gone happy sad angry tired impulsive reliable brilliant boring honest rude friendly helpful useless perfect
terrible old
new young big small huge tiny important urgent optional required invalid valid expired active inactive public private
famous
unknown beautiful ugly loud quiet dark bright cold warm funny serious dangerous safe""".split()
THINGS: Final = """Kubernetes Docker Windows Linux Ubuntu Debian Android iOS macOS Outlook Excel Word Teams Slack Zoom
Chrome Firefox
Safari Edge Java Python Ruby Rust Kotlin Swift Perl Django Flask Rails Spring Jenkins Travis Ansible Terraform Puppet
Chef Helm
Istio Prometheus Grafana Kibana Elasticsearch Redis Postgres PostgreSQL MySQL MariaDB MongoDB Cassandra Kafka RabbitMQ
Nginx
Apache Tomcat Oracle Hadoop Spark Airflow Jira Confluence Bitbucket GitHub GitLab Bamboo Hudson Maven Gradle
Kerberos LDAP OAuth SAML Azure AWS Lambda Aurora Athena Gateway Ingress Pod Deployment Service ConfigMap Secret Node
Cluster
Namespace Scheduler Controller Operator Webhook Dashboard Console Portal Studio Designer Manager Server Client Agent
Monitor
Explorer Navigator Commander Assistant Wizard Editor Viewer Player Reader Writer Builder Installer Updater Launcher
Vault Consul
Nomad Packer Vagrant Falcon Phoenix Mercury Apollo Athena Hermes Atlas Titan Orion Jupiter Saturn Delta Sierra Mojave
Ventura
Monterey Catalina Jellyfish Bionic Focal Stretch Buster Bullseye Bookworm Jessie Wheezy Thinkpad Pixel Galaxy iPhone
iPad MacBook Surface Kindle Alexa Siri Cortana Bixby Photoshop Acrobat Salesforce Zendesk Shopify
WordPress Drupal Joomla Magento Stripe PayPal Twilio Okta Calico Flannel Cilium Weave Traefik Linkerd Envoy Argo Tekton
Rook
Bash Zsh Emacs Vim Cisco Juniper Fortinet VMware Hyper-V Citrix Lenovo Dell Intel AMD Nvidia Qualcomm Samsung Sony
Canon Epson
Wi-Fi Bluetooth USB HDMI Ethernet VPN DNS DHCP HTTP HTTPS SSH TLS SSL API SDK JSON XML YAML CSV PDF HTML CSS JavaScript
TypeScript NullPointerException IOException TimeoutError ConnectionRefused OutOfMemoryError StackOverflow
ClassNotFoundException
java.lang.NullPointerException kubectl systemd journald cron SELinux AppArmor Active Directory""".split()
TITLE_WORDS: Final = """Getting Started Advanced Settings General Options Network Security Users Groups Roles
Permissions Billing Account
Profile Password Reset Change Delete Create New Add Remove Edit Update Install Configure Configuration Upgrade
Migration Guide
Overview Introduction Reference Tutorial Release Notes Known Issues Troubleshooting Error Warning Status Health Check
Backup
Restore Import Export Data Source Connection Server Client Certificate Key Store Trust Manager Access Control List
Policy Rule
Job Task Queue Worker Batch Process Service Start Stop Restart Enable Disable Save Cancel Apply Next Back Finish Help
About
Wisdom Discipline Freedom Justice Courage Civil Rights Fair Housing Clean Water Night Day Love Heart Fire River Road
Home Dream
Blue Black White Red Summer Winter Rain Storm Light Dark Big Little Lost Last First Final World War Star Moon Sun King
Queen
Action Adventure Comedy Drama Mystery Kids Animation Product Support Customer Order Payment Invoice Shipping Return
Terms
Conditions Privacy Legal Contact Sales Marketing Human Resources Finance Engineering Department Office Application
Database
Instance Cluster Node Volume Persistent Storage Class Custom Resource Definition Load Balancer Cross Site Scripting
Memory Leak
Open Closed Priority High Medium Low Severity Environment Production Staging Development Test Version Build Number
Windows
System Event Viewer Task Scheduler Control Panel Device File Name Domain Host Port Path Value Type Default
Description""".split()
JOBS: Final = """engineer|software engineer|System administrator|Network administrator|Account manager|Sales manager|
CEO|CTO|developer|
consultant|Leasing consultant|teacher|nurse|lawyer|Support Engineer|Team lead|Product Manager|designer|analyst|
accountant|Director
of Sales|Head of IT|journalist|singer|actor|writer|driver|packager|Vice President|HR manager|project manager|technician|
electrician
|Data scientist|student|pilot|chef|Computer programmer|Registered nurse|salesperson|architect|professor"""
COMPANY_WORDS: Final = """Micro Health Power Clean Open Public Data Credit Solar Global Green Blue Bright Core Net Soft
Tech Info Cloud
Social Smart City Water Energy Capital Bank Trust Federal United National First Union Star Sky Ocean Mountain Rapid
Swift Secure
Safe Prime Alpha Omega Delta Nova Vertex Apex Quantum Fusion Logic Metrics Insights Analytics Systems Partners Mobile
Media
Care Life Bio Gen Med Farm Food Home Auto Air Rail Track Map Geo Zoom Spark Flow Wave Link Bridge Point Path Gate Box
Hub Lab
Works Labs Factory Foundry Studio Street Market Shop Trade Finance Legal Risk Guard Shield""".split()
COMPANY_ENDS: Final = [
    "Inc",
    "Inc.",
    "LLC",
    "Ltd",
    "Ltd.",
    "Corp.",
    "Corporation",
    "GmbH",
    "AG",
    "Group",
    "and Sons",
    "& Co",
    "PLC",
    "S.A.",
    "Bank",
    "Partners",
    "Technologies",
    "Solutions",
    "Labs",
    "Foundation",
    "University",
]
TITLES: Final = ["Mr.", "Mrs.", "Ms.", "Dr.", "Mr", "Mrs", "Ms", "Prof.", "Miss", "Sir"]
COUNTRIES: Final = """Germany|France|Spain|Italy|Austria|Switzerland|Belgium|Netherlands|Denmark|Sweden|Norway|Finland|
Iceland|Poland|Czech
Republic|Hungary|Slovenia|Croatia|Estonia|Latvia|Lithuania|Cyprus|Greece|Portugal|Brazil|Mexico|Argentina|Chile|Uruguay|
Ecuador|
Tunisia|Morocco|Egypt|Greenland|South Africa|Nigeria|Kenya|India|Japan|China|Vietnam|Russia|Ukraine|Georgia|Turkey|
Israel|United
Kingdom|UK|United States|USA|Canada|Australia|New Zealand|Ireland|Scotland|Wales|Romania|Bulgaria|Serbia|Indonesia|
Philippines"""
ADJECTIVES_OF_COUNTRIES: Final = """German|French|Spanish|Italian|Austrian|Swiss|Belgian|Dutch|Danish|Swedish|Norwegian|
Finnish|Polish|Czech|
Hungarian|Slovenian|Croatian|Estonian|Greek|Portuguese|Brazilian|Mexican|Argentine|Chilean|Ecuadorean|Tunisian|Moroccan|
Egyptian|
American|British|English|Irish|Scottish|Canadian|Australian|Indian|Japanese|Chinese|Russian|Ukrainian|Turkish|Romanian|
Serbian"""
WEEKDAYS: Final = """Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June
July August September
October November December Christmas Easter""".split()
STREET_ENDS: Final = """Street|St|St.|Road|Rd|Avenue|Ave|Ave.|Lane|Drive|Dr|Court|Close|Terrace|Place|Square|Squares|
Way|Boulevard|Blvd|
Crescent|Grove|Hill|Gardens|Parade|Highway|Row|Walk|Mews|Green|Greens|Park|Loop|Ridge|Crossing|Crossroad|Point|Bypass|
Junction|
Causeway|Parkway|Path|Pike|Quay|Station|Trail|View|Views|Village|Union|Streets|Parks|Mall|Mews|Manor|Creek|Circle|Alley|
Str.|str"""
STREET_BEFORE: Final = """Rua|Rua do|Rua da|Avenida|Av.|Calle|Camino|Paseo|C/|Rue|Rue de|Rue du|Avenue|Avenue de la|
Boulevard|Via|Viale|
Piazza|Corso|ul.|Ulica|Plac|Karl|Am|An der|Zum|Impasse|Place|Chemin|Travessa|Praça|Largo|Rúa|Carrer|Strada|Bulevardul|
Λεωφόρος|
Οδός|Jalan|улица|проспект|Ctra.|Plaza|Quai|Allée"""
STREET_TAILS: Final = """straße|strasse|str.|gasse|weg|platz|allee|gata|gatan|gade|vej|veien|vegen|vägen|katu|tie|polku|
kuja|straat|laan|
weg|plein|dreef|utca|út|tér|ova|ská|vagen|stræde|torv|ring|damm|ufer|stien|backen|stigen|kade|gracht|u."""
PLACES: Final = (
    """Apt.|Apt|Suite|Unit|Flat|Floor|Room|Apartment|#|No.|Box|Office|Building|Bldg|Door|Wohnung|Piso|Étage"""
)
